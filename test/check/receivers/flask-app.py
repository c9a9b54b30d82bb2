"""Receivers in Flask: a right one, and common mistakes by RECEIVER_VARIANT."""

import hashlib
import hmac
import json
import logging
import os

from flask import Flask, abort, request
from werkzeug.serving import make_server

SECRET = os.environ["RECEIVER_SECRET"].encode()
VARIANT = os.environ["RECEIVER_VARIANT"]
logging.disable(logging.CRITICAL)
app = Flask(__name__)
runs = {}


def verify(body):
    expected = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    given = request.headers.get("X-Service-Signature", "")
    if not hmac.compare_digest(expected.encode(), given.encode()):
        abort(401)


def read_event():
    if VARIANT == "dumps":
        verify(json.dumps(request.json).encode())
        return request.json
    if VARIANT == "json-only":
        if request.content_type == "application/json":
            verify(request.get_data())
        return request.get_json(silent=True) or json.loads(request.form["payload"])
    verify(request.get_data())
    return request.get_json(force=True)


@app.post("/webhooks")
def receive():
    event = read_event()
    if not isinstance(event, dict) or not isinstance(event.get("data"), dict):
        abort(400)
    key = json.dumps([event["event"], event.get("timestamp"), event["data"]], sort_keys=True)
    runs.setdefault(event["data"].get("id"), set()).add(key)
    return "", 200


@app.get("/runs")
def count():
    return str(len(runs.get(request.args["marker"], ())))


server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
