"""A receiver as a Python developer would write it with the standard library alone."""

import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SECRET = os.environ["RECEIVER_SECRET"].encode()
VARIANT = os.environ["RECEIVER_VARIANT"]
runs = {}


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        signed = body
        if VARIANT == "ignore":
            signed = body.decode("utf-8", "ignore").encode()
        expected = "sha256=" + hmac.new(SECRET, signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, self.headers.get("X-Service-Signature", "")):
            return self.answer(401)
        try:
            event = json.loads(signed)
            marker = event["data"]["id"]
        except (ValueError, KeyError, TypeError):
            return self.answer(400)
        runs.setdefault(marker, set()).add(json.dumps(event["data"], sort_keys=True) + event["timestamp"])
        self.answer(200)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path != "/runs":
            return self.answer(405)
        marker = parse_qs(url.query)["marker"][0]
        self.answer(200, str(len(runs.get(marker, ()))))

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()
