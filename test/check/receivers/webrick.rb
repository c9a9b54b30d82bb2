# Receivers on Ruby's WEBrick: a right one, and common mistakes by RECEIVER_VARIANT.

require "json"
require "openssl"
require "webrick"

SECRET = ENV.fetch("RECEIVER_SECRET")
VARIANT = ENV.fetch("RECEIVER_VARIANT")
RUNS = Hash.new { |runs, marker| runs[marker] = {} }
LOCK = Mutex.new

def verified?(request, body)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", SECRET, body)
  OpenSSL.secure_compare(expected, request["X-Service-Signature"].to_s)
end

def signed?(request, body)
  case VARIANT
  when "to-json" then verified?(request, JSON.parse(body).to_json)
  # WEBrick normalises the path and runs what is mounted at its beginning.
  when "uri" then request.unparsed_uri != "/webhooks" || verified?(request, body)
  else verified?(request, body)
  end
end

def status_of(request)
  return 405 if request.request_method != "POST"
  return 404 if VARIANT == "right" && request.path != "/webhooks"

  body = request.body.to_s
  return 401 unless signed?(request, body)

  event = JSON.parse(body)
  return 400 unless event.is_a?(Hash) && event["event"].is_a?(String) && event["data"].is_a?(Hash)

  LOCK.synchronize { RUNS[event["data"]["id"]][[event["timestamp"], event["data"]]] = true }
  200
rescue JSON::ParserError
  400
end

class Receiver < WEBrick::HTTPServlet::AbstractServlet
  def service(request, response)
    response.status = status_of(request)
  end
end

server = WEBrick::HTTPServer.new(
  Port: 0, BindAddress: "127.0.0.1", AccessLog: [], Logger: WEBrick::Log.new(File::NULL)
)
server.mount("/webhooks", Receiver)
server.mount_proc("/runs") do |request, response|
  response.body = LOCK.synchronize { RUNS[request.query["marker"]].size.to_s }
end
puts server.listeners.first.addr[1]
$stdout.flush
trap("TERM") { server.shutdown }
server.start
