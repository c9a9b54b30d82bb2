-- Sends the requests of a file one after another: <file> <bytes of one> <first> <how many there are> <connections> <settling>.
-- Each connection waits `settling` milliseconds before its first request: Node accepts one connection per turn of its event
-- loop, so connections opened while others are already served would wait long, and p99 would show nothing else.
local file, length, first, count, connections, settling
local threads = {}
sent = 0

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  io.stderr:write("ready\n")
  file = assert(io.open(arguments[1], "rb"))
  length, first, count = tonumber(arguments[2]), tonumber(arguments[3]), tonumber(arguments[4])
  connections, settling = tonumber(arguments[5]), tonumber(arguments[6])
  file:seek("set", (first % count) * length)
end

function delay()
  if connections == 0 then
    return 0
  end
  connections = connections - 1
  return settling
end

function request()
  local text = file:read(length)
  if text == nil then
    file:seek("set", 0)
    text = file:read(length)
  end
  sent = sent + 1
  return text
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    "\nRESULT {\"answered\":%d,\"sent\":%d,\"failed\":%d,\"micros\":%d,\"p50\":%d,\"p99\":%d,\"max\":%d}\n",
    summary.requests, threads[1]:get("sent"), failed, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max))
end
