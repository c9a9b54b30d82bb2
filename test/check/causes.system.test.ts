import { createSecretKey } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { respell, type STYLES } from "./receivers/own-json.ts";
import { refusing, reSerialiser } from "./receivers/refusing.ts";
import { right } from "./receivers/right.ts";
import { SECRET, serve } from "./receivers/under-test.ts";
import { optionsFor, runCheck } from "./sample.ts";

/** Enough for a busy machine: none of these receivers lets anything wait. */
const patient: typeof optionsFor = (...given) => ({ ...optionsFor(...given), timeout: 10_000 });

const RAW = "The receiver does not verify the raw body, but JSON made from it, as";

/** How the named printer begins, and whether the control is refused already. */
const PRINTERS: Readonly<Record<keyof typeof STYLES, readonly [string, boolean]>> = {
  python: ["Python's `json.dumps` prints", true],
  "sorted python": ["Python's `json.dumps` with `sort_keys=True` prints", true],
  "compact python": ["Python's `json.dumps` with `separators` or PHP's", false],
  php: ["PHP's `json_encode` prints", true],
  go: ["Go's `json.Marshal` of a map prints", true],
  rails: ["Rails' `to_json` or Go's `json.Marshal` of a struct prints", false],
  gson: ["Gson's `toJson` of a map prints", true],
  rust: [
    "Python's `json.dumps` with `separators`, `sort_keys` and `ensure_ascii=False` or Rust's",
    true,
  ],
  ".net": [".NET's `JsonSerializer.Serialize` prints", false],
  node: ["JavaScript's `JSON.stringify`, PHP's", false],
};

describe("a receiver that re-serialises the body before it verifies", () => {
  it.each(Object.keys(PRINTERS) as (keyof typeof STYLES)[])("is named: %s", async (name) => {
    const [printer, refusesControl] = PRINTERS[name];
    const { url } = await reSerialiser(name);
    const { results, diagnosis } = await runCheck(patient(url, "BODY"));
    expect(results[0]).toMatchObject({
      id: "KIND-01",
      outcome: refusesControl ? "failed" : "passed",
    });
    const cause = diagnosis.find((text) => text.includes(RAW)) ?? "";
    expect(cause).toContain(`${RAW} ${printer}`);
    if (refusesControl) expect(results[0]?.fix).toContain(`${RAW} ${printer}`);
    else expect(cause).toMatch(/\(BODY-\d\d, BODY/);
  });
});

const BASE64 = Buffer.from(SECRET).toString("base64");
const HEX = Buffer.from(SECRET).toString("hex");
const WHSEC = `whsec_${BASE64}`;

/** The secret that check is given, the one in the receiver, and the cause. */
const SECRETS: readonly (readonly [string, string, string, RegExp])[] = [
  [
    "decodes base64",
    BASE64,
    SECRET,
    /secret as base64.*\(decoded in the receiver\).*`HOOKPORTER_SECRET_ENCODING=base64`/,
  ],
  [
    "decodes hex",
    HEX,
    SECRET,
    /secret as hex.*\(decoded in the receiver\).*`HOOKPORTER_SECRET_ENCODING=hex`/,
  ],
  [
    "decodes what follows whsec_",
    WHSEC,
    SECRET,
    /\(decoded after whsec_ in the receiver\).*`whsec` if it begins with `whsec_`/,
  ],
  ["uses base64 as text", SECRET, BASE64, /secret as base64.*\(decoded here\)/],
  ["uses hex as text", SECRET, HEX, /secret as hex.*\(decoded here\)/],
  ["uses whsec_ as text", SECRET, WHSEC, /\(decoded after whsec_ here\)/],
  [
    "keeps the line break",
    SECRET,
    `${SECRET}\n`,
    /spaces, line breaks or invisible characters in or around its secret/,
  ],
  [
    "has no secret",
    SECRET,
    "",
    /the secret was empty or not set in the receiver \(empty\). Set the secret in the receiver/,
  ],
];

it.each(SECRETS)("a receiver that %s is named, without the secret", async (_, key, own, cause) => {
  const { url } = await refusing({ key: own });
  const secret = createSecretKey(Buffer.from(key));
  const { diagnosis } = await runCheck({ ...patient(url, "KIND"), secret });
  expect(diagnosis).toEqual([expect.stringMatching(cause)]);
  for (const text of [SECRET, key, own].filter((one) => one !== ""))
    expect(diagnosis.join()).not.toContain(text);
});

const asDict = (body: Buffer) => respell(body.toString("utf8"), "python").replaceAll('"', "'");
const asHash = (body: Buffer) =>
  respell(body.toString("utf8"), "node").replace(/":/g, '" => ').replace(/,"/g, ', "');
const asMap = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).sort(([text], [other]) => (text < other ? -1 : 1));
  return `map[${members.map(([key, one]) => `${key}:${asMap(one)}`).join(" ")}]`;
};
const dataOnly = (body: Buffer) => JSON.stringify(JSON.parse(body.toString("utf8")).data);

it.each([
  [
    "expects base64",
    { value: (digest: Buffer) => digest.toString("base64") },
    /the digest alone in base64/,
  ],
  [
    "expects upper case",
    { value: (digest: Buffer) => `sha256=${digest.toString("hex").toUpperCase()}` },
    /expects the digest in upper case/,
  ],
  [
    "prints signed bytes",
    {
      value: (digest: Buffer) =>
        `sha256=${[...new Int8Array(digest)].map((byte) => (byte >>> 0).toString(16)).join("")}`,
    },
    /Integer\.toHexString\(b\)/,
  ],
  [
    "reads another header",
    { header: "x-webhook-signature" },
    /from the header x-webhook-signature. Pass --signature-header x-webhook-signature/,
  ],
  ["verifies a stream that was read", { body: (): string => "" }, /the verified body was empty/],
  ["verifies an object", { body: (): string => "[object Object]" }, /\[object Object\]/],
  ["shows a dict", { body: asDict }, /not as JSON \(as Python shows a dict, in the receiver\)/],
  [
    "shows a map as Go does",
    { body: (body: Buffer) => asMap(JSON.parse(body.toString("utf8"))) },
    /as Go shows a map/,
  ],
  ["shows a hash as Ruby 3.4 does", { body: asHash }, /as Ruby 3\.4 shows a hash/],
  ["has an array in PHP", { body: (): string => "Array" }, /instead of the body \(Array\)/],
  ["verifies `data` alone", { body: dataOnly }, /only the `data` member was verified/],
  [
    "answers 400 to a wrong signature",
    { key: "", refusal: 400 },
    /the secret was empty or not set/,
  ],
] as const)("a receiver that %s is named", async (_, fault, cause) => {
  const { url } = await refusing(fault);
  const { diagnosis } = await runCheck(patient(url, "KIND"));
  expect(diagnosis).toEqual([expect.stringMatching(cause)]);
});

it("a receiver that reads the body as Latin-1 is not taken for one that re-serialises", async () => {
  const { url } = await refusing({ body: (body) => body.toString("latin1") });
  const { diagnosis } = await runCheck(patient(url, "BODY"));
  expect(diagnosis).toEqual([
    expect.stringMatching(/another character encoding \(its UTF-8 read as Latin-1/),
  ]);
});

it("a receiver with another secret is told so, once all common faults are excluded", async () => {
  const { url } = await refusing({ key: "quite another secret" });
  const { results, diagnosis } = await runCheck(patient(url, "SIG-01"));
  expect(diagnosis).toEqual([expect.stringMatching(/most likely the secrets differ/)]);
  expect(results.map(({ outcome }) => outcome)).toEqual(["failed", "not_applicable"]);
  expect(results[0]?.fix).toMatch(/compare the secret, the header's name and the path/);
});

it("the search for a cause ends if the receiver answers slowly, and the report says so", async () => {
  const { url } = await refusing({ key: "quite another secret" });
  let calls = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => calls++ * 20_000);
  onTestFinished(() => clock.mockRestore());
  const { diagnosis } = await runCheck({ ...patient(url, "SIG-01"), slow: Infinity });
  expect(diagnosis).toEqual([expect.stringMatching(/the secrets differ.*too slowly to try all/)]);
});

it("a receiver that refuses the first delivery only is not blamed for a fault that it does not have", async () => {
  let requests = 0;
  const url = await serve((_, response) => response.writeHead(++requests === 1 ? 401 : 200).end());
  const { diagnosis } = await runCheck(patient(url, "KIND"));
  expect(diagnosis).toEqual([expect.stringMatching(/refused a valid delivery, and accepted all/)]);
});

it.each([404, 405, 413, 415, 500])(
  "nothing is tried after %d, which is not about the signature",
  async (status) => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests++;
      response.writeHead(status).end();
    });
    await runCheck(patient(url, "KIND"));
    expect(requests).toBe(status < 500 ? 1 : 2); // a failure is sent once more, as the service does
  },
);

it("a right receiver gets nothing but the cases", async () => {
  const { url } = await right();
  const { diagnosis, counts } = await runCheck(patient(url, "BODY"));
  expect(diagnosis).toEqual([]);
  expect(counts.passed).toBe(counts.total);
});
