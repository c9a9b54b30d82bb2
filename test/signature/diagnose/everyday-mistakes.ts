import { createHash, createHmac } from "node:crypto";
import { deflateSync, gzipSync } from "node:zlib";
import type { CauseCode } from "../../../src/entries/testing.ts";
import { digested, hashed, signed } from "./made.ts";
import {
  bytes,
  headerAs,
  hereWith,
  type Mistake,
  type Mistakes,
  sentAs,
  signedAs,
  signedWith,
} from "./mistake.ts";

/** What copying, chat programs, shells and readers of env files do to a text, and its cause. */
const TO_A_SECRET: readonly (readonly [CauseCode, string, (secret: string) => string])[] = [
  ["secret_quotes", "curly quotes", (secret) => `“${secret}”`],
  ["secret_quotes", "curly single quotes", (secret) => `‘${secret}’`],
  ["secret_quotes", "German quotes", (secret) => `„${secret}“`],
  ["secret_quotes", "backticks", (secret) => `\`${secret}\``],
  ["secret_quotes", "a quote at its start", (secret) => `"${secret}`],
  ["secret_quotes", "a quote at its end", (secret) => `${secret}'`],
  ["secret_whitespace", "a space that does not break", (secret) => `${secret}\u00a0`],
  ["secret_whitespace", "an invisible space", (secret) => `${secret}\u200b`],
  ["secret_whitespace", "a joiner at its start", (secret) => `\u2060${secret}`],
  ["secret_whitespace", "a direction mark", (secret) => `\u200e${secret}`],
  ["secret_whitespace", "a soft hyphen", (secret) => `${secret}\u00ad`],
  ["secret_whitespace", "a tab", (secret) => `${secret}\t`],
  ["secret_whitespace", "two lines", (secret) => `${secret.slice(0, 9)}\n${secret.slice(9)}`],
  ["secret_whitespace", "a space in it", (secret) => `${secret.slice(0, 7)} ${secret.slice(7)}`],
  [
    "secret_whitespace",
    "hidden in it",
    (secret) => `${secret.slice(0, 5)}\u200b${secret.slice(5)}`,
  ],
  ["secret_name", "another variable's name", (secret) => `WEBHOOK_SECRET=${secret}`],
  ["secret_name", "export", (secret) => `export HOOKPORTER_SECRET=${secret}`],
  ["secret_name", "a line of YAML", (secret) => `SECRET: ${secret}`],
  ["secret_name", "Bearer", (secret) => `Bearer ${secret}`],
  ["secret_name", "angle brackets", (secret) => `<${secret}>`],
  ["secret_name", "square brackets", (secret) => `[${secret}]`],
  ["secret_name", "a semicolon", (secret) => `${secret};`],
  ["secret_name", "a comma", (secret) => `${secret},`],
  ["secret_name", "the prefix whsec_", (secret) => `whsec_${secret}`],
  ["secret_name", "the prefix sha256=", (secret) => `sha256=${secret}`],
  ["secret_name", "twice", (secret) => secret + secret],
  ["secret_name", "JSON", (secret) => JSON.stringify({ secret })],
];

/** What one side has for the secret of the other. */
const HERE_ONLY: readonly (readonly [CauseCode, string, (secret: string) => string])[] = [
  ["secret_name", "a comment", (secret) => `${secret} # production`],
  ["secret_name", "two secrets", (secret) => `${secret},an-older-secret-0123`],
  ["secret_name", "a name that nobody would guess", (secret) => `ACME_HOOK_KEY_2=${secret}`],
  ["secret_name", "JSON of several members", (secret) => JSON.stringify({ a: "b", own: secret })],
  ["secret_whitespace", "a line break as text", (secret) => `${secret}\\n`],
  ["secret_whitespace", "several spaces", (secret) => secret.replace(/.{5}/g, "$& ")],
];

const pairs = (json: string) => bytes(json).toString("hex").match(/../g) ?? [];
const chunked = (json: string) => `${bytes(json).byteLength.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
const HEAD = "POST /webhooks HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json";

/** As `xxd` and `hexdump -C` print bytes. */
const dumped = (json: string, line: (at: string, hex: readonly string[], text: string) => string) =>
  (
    bytes(json)
      .toString("latin1")
      .match(/.{1,16}/gs) ?? []
  )
    .map((part, row) => {
      const hex = Buffer.from(part, "latin1").toString("hex").match(/../g) ?? [];
      return line((row * 16).toString(16).padStart(8, "0"), hex, part.replace(/[^ -~]/g, "."));
    })
    .join("\n");
const asXxd = (json: string) =>
  dumped(json, (at, hex, text) => {
    const words = hex.join("").replace(/.{4}(?=.)/g, "$& ");
    return `${at}: ${words.padEnd(39)}  ${text}`;
  });
const asHexdump = (json: string) =>
  dumped(json, (at, hex, text) => {
    const halves = `${hex.slice(0, 8).join(" ")}  ${hex.slice(8).join(" ")}`;
    return `${at}  ${halves.padEnd(48)}  |${text}|`;
  });

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** What queues, gateways, logs and tools put around a body on this side. */
const WRAPPED: readonly (readonly [string, (json: string) => string])[] = [
  ["SQS", (json) => JSON.stringify({ Records: [{ messageId: "1", body: json }] })],
  [
    "SNS in SQS",
    (json) => {
      const body = JSON.stringify({ Type: "Notification", Message: json });
      return JSON.stringify({ Records: [{ body }] });
    },
  ],
  ["SNS at Lambda", (json) => JSON.stringify({ Records: [{ Sns: { Message: json } }] })],
  ["Pub/Sub", (json) => JSON.stringify({ message: { data: base64(json), messageId: "1" } })],
  ["Kinesis", (json) => JSON.stringify({ Records: [{ kinesis: { data: base64(json) } }] })],
  ["EventBridge", (json) => `{"detail-type":"webhook","detail":${json}}`],
  ["API Gateway", (json) => JSON.stringify({ body: base64(json), isBase64Encoded: true })],
  ["a list", (json) => `[${json}]`],
  [
    "HAR",
    (json) => JSON.stringify({ log: { entries: [{ request: { postData: { text: json } } }] } }),
  ],
  ["a line of a log", (json) => `2026-01-15 09:20:00 INFO got ${json}`],
  ["a line of a log in JSON", (json) => JSON.stringify({ level: "info", msg: json })],
  ["an escaped line of a log", (json) => `INFO body="${JSON.stringify(json).slice(1, -1)}"`],
  ["a request", (json) => `${HEAD}\r\n\r\n${json}`],
  ["a request and a line break", (json) => `${HEAD}\n\n${json}\n`],
  ["a request in chunks", (json) => `${HEAD}\r\n\r\n${chunked(json)}`],
  ["chunks", chunked],
  ["headers", (json) => `content-type: application/json\n\n${json}`],
  ["what curl prints", (json) => `* Connected\n> POST / HTTP/1.1\n>\n${json}\n* Closing\n`],
  ["the status after it", (json) => `${json}200`],
];

const DUMPED: readonly (readonly [string, (json: string) => string])[] = [
  ["hex", (json) => bytes(json).toString("hex")],
  ["hex with spaces", (json) => pairs(json).join(" ")],
  ["xxd", asXxd],
  ["hexdump -C", asHexdump],
  ["a buffer in JSON", (json) => JSON.stringify(bytes(json))],
  ["a list in JSON", (json) => JSON.stringify([...bytes(json)])],
  ["an array of bytes in JSON", (json) => JSON.stringify(new Uint8Array(bytes(json)))],
  ["numbers", (json) => new Uint8Array(bytes(json)).toString()],
  ["a slice of Go", (json) => `[${[...bytes(json)].join(" ")}]`],
  ["signed bytes of Java", (json) => `[${[...new Int8Array(bytes(json))].join(", ")}]`],
];

/** Headers of other services, and what they sign. */
const HEADERS = {
  "webhook-id": "msg_1",
  "webhook-timestamp": "1768468800",
  "x-request-date": "Thu, 15 Jan 2026 09:20:00 GMT",
  "x-nonce": "n0nce",
  host: "hooks.example",
};
const URL = "https://hooks.example/webhooks?a=b";
const SCHEMES: readonly (readonly [string, (json: string) => string])[] = [
  ["as Standard Webhooks", (json) => `msg_1.1768468800.${json}`],
  ["as Twitch", (json) => `msg_11768468800${json}`],
  ["with a colon between", (json) => `1768468800:msg_1:${json}`],
  ["as Slack", (json) => `v0:1768468800:${json}`],
  ["the body before a time", (json) => `${json}1768468800`],
  ["a line for each", (json) => `1768468800\n${json}`],
  ["a date", (json) => `Thu, 15 Jan 2026 09:20:00 GMT${json}`],
  ["a nonce", (json) => `n0nce|${json}`],
  ["as HubSpot", (json) => `POST${URL}${json}1768468800`],
  ["the method and the path", (json) => `POST\n/webhooks?a=b\n${json}`],
  ["the URL alone", () => URL],
  ["the time and the path", (json) => `1768468800./webhooks.${json}`],
];

const digestOf = (name: string, ...parts: readonly (string | Uint8Array)[]) =>
  createHash(name).update(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const hmac = (secret: string | Uint8Array, text: string | Uint8Array) =>
  createHmac("sha256", secret).update(text);

/** A header made of the body and the secret. */
const headerOf =
  (make: (json: string, secret: string) => string): Mistake =>
  (json, secret) => ({ body: json, header: make(json, secret) });

const DIGESTS: Mistakes = [
  ...["sha1", "sha512", "md5"].map(
    (name) =>
      [
        "secret_hashed",
        `${name} of the secret`,
        signedWith((secret) => digestOf(name, secret).digest()),
      ] as const,
  ),
  [
    "secret_hashed",
    "in base64",
    signedWith((secret) => digestOf("sha256", secret).digest("base64")),
  ],
  ["body_hashed", "md5", signedAs((json) => digestOf("md5", json).digest("hex"))],
  ["body_hashed", "sha1 in bytes", signedAs((json) => digestOf("sha1", json).digest())],
  [
    "body_hashed",
    "sha512 in base64",
    signedAs((json) => digestOf("sha512", json).digest("base64")),
  ],
  [
    "digest_hashed",
    "the HMAC of the HMAC in hex",
    headerOf((json, secret) => signed(hmac(secret, json).digest("hex"), secret)),
  ],
  [
    "digest_hashed",
    "the HMAC of the HMAC",
    headerOf((json, secret) => signed(hmac(secret, json).digest(), secret)),
  ],
  [
    "digest_hashed",
    "the hash of the HMAC",
    headerOf((json, secret) => hashed(hmac(secret, json).digest("hex"))),
  ],
  ["digest_without_hmac", "a colon between", headerOf((json, secret) => hashed(secret, ":", json))],
  [
    "digest_without_hmac",
    "the secret around it",
    headerOf((json, secret) => hashed(secret, json, secret)),
  ],
  [
    "digest_without_hmac",
    "a hash of the hash",
    headerOf((json) => hashed(digestOf("sha256", json).digest("hex"))),
  ],
  ...["md5", "sha224", "sha384", "sha3-256", "sha512-256"].map(
    (name) =>
      ["digest_algorithm", name, headerOf((json, secret) => signed(json, secret, name))] as const,
  ),
  ["digest_separated", "a list of numbers", headerAs((_, hex) => `sha256=[${numbers(hex)}]`)],
  ["digest_separated", "a buffer", headerAs((_, hex) => `sha256=<Buffer ${spaced(hex)}>`)],
  [
    "digest_separated",
    "a buffer in JSON",
    headerAs((_, hex) => `sha256=${JSON.stringify(Buffer.from(hex, "hex"))}`),
  ],
  ["digest_separated", "one number", headerAs((_, hex) => `sha256=${BigInt(`0x${hex}`)}`)],
  ["header_extra_text", "percent-encoded", headerAs((_, hex) => `sha256%3D${hex}`)],
  ["header_extra_text", "in brackets", headerAs((_, hex) => `sha256=<${hex}>`)],
  ["digest_algorithm", "GitHub's first", headerOf((json, secret) => signed(json, secret, "sha1"))],
  [
    "digest_base64",
    "Shopify's with our prefix",
    headerOf((json, secret) => `sha256=${digested(bytes(json), secret, "base64")}`),
  ],
];
const spaced = (hex: string) => hex.replace(/..(?=.)/g, "$& ");
const numbers = (hex: string) => [...Buffer.from(hex, "hex")].join(", ");

/** What everyday handling does to a secret, a body, a digest or a header, on either side. */
export const EVERYDAY_MISTAKES: Mistakes = [
  ...TO_A_SECRET.flatMap(
    ([code, title, damage]): Mistakes => [
      [code, `${title} here`, hereWith(damage)],
      [code, `${title} there`, signedWith(damage)],
    ],
  ),
  ...HERE_ONLY.map(([code, title, damage]) => [code, title, hereWith(damage)] as const),
  [
    "secret_encoded",
    "in capital letters",
    (json, secret) => ({
      body: json,
      header: signed(json, `${secret}aB`.toUpperCase()),
      secret: `${secret}aB`,
    }),
  ],
  ["secret_encoded", "in UTF-16", signedWith((secret) => Buffer.from(secret, "utf16le"))],
  ["secret_cut", "its last character", signedWith((secret) => secret.slice(0, -1))],
  ["secret_cut", "its first characters", signedWith((secret) => secret.slice(3))],
  ["secret_cut", "one in its middle", signedWith((secret) => secret.slice(0, 6) + secret.slice(7))],
  ...WRAPPED.map(([title, wrap]) => ["body_wrapped", title, sentAs(wrap)] as const),
  ...DUMPED.flatMap(
    ([title, dump]): Mistakes => [
      ["body_dump", `${title} here`, sentAs(dump)],
      ...(/xxd|hexdump/.test(title)
        ? []
        : ([["body_dump", `${title} there`, signedAs(dump)]] as const)),
    ],
  ),
  ["body_twice", "here", sentAs((json) => json + json)],
  ["body_twice", "here in two lines", sentAs((json) => `${json}\n${json}\n`)],
  ["body_twice", "there", signedAs((json) => json + json)],
  ["body_compressed", "deflate here", sentAs((json) => deflateSync(json))],
  ["body_compressed", "gzip there", signedAs((json) => gzipSync(json))],
  ["unicode_form", "curly quotes here", sentAs((json) => json.replaceAll('"', "”"))],
  [
    "body_base64",
    "in lines",
    signedAs((json) => `${base64(json).replace(/.{76}(?=.)/g, "$&\n")}\n`),
  ],
  ["body_string", "without its quotes", signedAs((json) => json.replaceAll('"', ""))],
  ...SCHEMES.map(
    ([title, scheme]) =>
      [
        "other_scheme",
        title,
        (json: string, secret: string) => ({
          body: json,
          header: signed(scheme(json), secret),
          more: { headers: HEADERS, target: "/webhooks?a=b" },
        }),
      ] as const,
  ),
  ...DIGESTS,
];
