/** A signature of `body.json` that another tool makes wrongly, with a common mistake. */
export interface WrongSignature {
  readonly madeBy: string;
  /** The line of a shell that prints it. */
  readonly line: string;
  /** All causes that `verify` must name, in its order. */
  readonly causes: readonly string[];
}

const python = (expression: string) =>
  `python3 -c 'import base64,hashlib,hmac,json,os; k=os.environ["HOOKPORTER_SECRET"]; ` +
  `b=open("body.json","rb").read(); print("sha256="+${expression})'`;
const digest = (key: string, body: string) => `hmac.new(${key},${body},hashlib.sha256).hexdigest()`;
const php = (expression: string) =>
  `php -r '$k = getenv("HOOKPORTER_SECRET"); $b = file_get_contents("body.json"); ` +
  `echo ${expression};'`;
const ruby = (expression: string) =>
  `ruby -ropenssl -e 'k = ENV["HOOKPORTER_SECRET"]; b = File.binread("body.json"); ` +
  `print ${expression}'`;

export const WRONG_SIGNATURES: readonly WrongSignature[] = [
  {
    madeBy: "openssl with another secret",
    line: "openssl dgst -sha256 -hmac a-secret-of-another-subscription -r body.json | sed 's/^/sha256=/; s/ .*//'",
    causes: [],
  },
  {
    madeBy: "openssl without an HMAC",
    line: "openssl dgst -sha256 -r body.json | sed 's/^/sha256=/; s/ .*//'",
    causes: ["digest_without_hmac"],
  },
  {
    madeBy: "openssl with a secret that is not set",
    line: 'openssl dgst -sha256 -hmac "$NOT_SET" -r body.json | sed "s/^/sha256=/; s/ .*//"',
    causes: ["secret_unset"],
  },
  {
    madeBy: "Python with a secret that ends in a newline",
    line: python(digest('k.encode()+b"\\n"', "b")),
    causes: ["secret_whitespace"],
  },
  {
    madeBy: "Python with a body that json.dumps printed",
    line: python(digest("k.encode()", "json.dumps(json.loads(b)).encode()")),
    causes: ["json_spacing", "json_escapes"],
  },
  {
    madeBy: "Python with a digest in base64",
    line: python("base64.b64encode(hmac.digest(k.encode(),b,hashlib.sha256)).decode()"),
    causes: ["digest_base64"],
  },
  {
    madeBy: "PHP with a digest in upper case",
    line: php('"sha256=" . strtoupper(hash_hmac("sha256", $b, $k))'),
    causes: ["digest_upper_case"],
  },
  {
    madeBy: "PHP with the key and the body swapped",
    line: php('"sha256=" . hash_hmac("sha256", $k, $b)'),
    causes: ["key_and_body_swapped"],
  },
  {
    madeBy: "PHP with a line break after the body",
    line: php('"sha256=" . hash_hmac("sha256", $b . PHP_EOL, $k)'),
    causes: ["newline_at_end"],
  },
  {
    madeBy: "Ruby with SHA-1",
    line: ruby('"sha1=" + OpenSSL::HMAC.hexdigest("SHA1", k, b)'),
    causes: ["digest_algorithm"],
  },
  {
    madeBy: "Ruby with the hex of the secret as key",
    line: ruby('"sha256=" + OpenSSL::HMAC.hexdigest("SHA256", [k].pack("H*"), b)'),
    causes: ["secret_hex"],
  },
  {
    madeBy: "Ruby without the prefix",
    line: ruby('OpenSSL::HMAC.hexdigest("SHA256", k, b)'),
    causes: ["prefix_missing"],
  },
];

/** A receiver that looks at a signature only if there is one. */
export const UNSIGNED_GET_IN = `<?php
$body = file_get_contents("php://input");
$given = $_SERVER["HTTP_X_SERVICE_SIGNATURE"] ?? null;
$expected = "sha256=" . hash_hmac("sha256", $body, getenv("HOOKPORTER_SECRET"));
if ($given !== null && !hash_equals($expected, $given)) {
    http_response_code(401);
    exit;
}
http_response_code(200);
`;

/**
 * A receiver that verifies rightly and says how often an event ran. With the argument `data` it
 * takes two events for one if they are about the same thing.
 */
export const PYTHON_RECEIVER = `import hashlib, hmac, json, os, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

key = os.environ["HOOKPORTER_SECRET"].encode()
seen, runs, lock = set(), {}, threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        expected = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
        given = self.headers.get("x-service-signature") or ""
        if not hmac.compare_digest(given.encode(), expected.encode()):
            return self.answer(401)
        try:
            event = json.loads(body)
            about = event["data"]["id"]
            same = about if sys.argv[1] == "data" else json.dumps(event, sort_keys=True)
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.answer(400)
        with lock:
            if same not in seen:
                seen.add(same)
                runs[about] = runs.get(about, 0) + 1
        self.answer(200)

    def do_GET(self):
        marker = parse_qs(urlsplit(self.path).query).get("id", [""])[0]
        self.answer(200, str(runs.get(marker, 0)))

    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print("port", server.server_port, flush=True)
server.serve_forever()
`;
