import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import type { CheckReport } from "../../src/check/check-result.ts";
import { observeByUrl } from "../../src/check/observe-by-url.ts";
import { runCheck } from "../../src/check/run-check.ts";
import { verdictText } from "../../src/check/verdict.ts";
import { isRight, type Made, made, type Seen } from "./receivers/made.ts";
import { SECRET } from "./receivers/under-test.ts";
import { optionsFor } from "./sample.ts";

const ONLY = ["KIND", "SIG", "GATE", "BODY", "DUP"];
const known = new Map<object, Set<unknown>>();
/** What a receiver remembers of one kind of thing, from one delivery to the next. */
function memory(of: object): Set<unknown> {
  const set = known.get(of) ?? new Set();
  known.set(of, set);
  return set;
}
const hmac = (key: string, body: Buffer) => createHmac("sha256", key).update(body).digest("hex");
const bytesOf = (hex: string) => [...Buffer.from(hex, "hex")];
/** Compares two digests by what is left of each. */
const by =
  (part: (hex: string) => unknown) =>
  ({ digits, right, request }: Seen) =>
    /^sha256=[0-9a-f]{64}$/.test(String(request.headers["x-service-signature"])) &&
    part(digits) === part(right);
const header =
  (name: string) =>
  ({ request }: Seen) =>
    request.headers[name] !== undefined;
const unless = (is: (seen: Seen) => boolean) => (seen: Seen) => is(seen) || isRight(seen);

/** Receivers that let forgeries in, the cases that see it, and how the verdict goes on. */
const HOLES: Readonly<Record<string, readonly [Made, string, RegExp]>> = {
  "verifies two kinds": [
    {
      accepts: unless(
        ({ event: { event } }) => !/^property\.created$|^payment\.received$|^undefined$/.test(`${event}`),
      ),
    },
    "SIG-37 SIG-38",
    /only for some kinds/,
  ],
  "lets one kind in": [
    { accepts: unless(({ event: { event } }) => event === "payment.overdue") },
    "SIG-37 SIG-38",
    /only for some kinds/,
  ],
  "answers webhook.test first": [
    { accepts: unless(({ event: { event } }) => event === "webhook.test") },
    "SIG-37 SIG-38",
    /only for some kinds/,
  ],
  "trusts a connection": [
    {
      accepts: (seen) => memory(seen.socket).has("ok") || (isRight(seen) && !!memory(seen.socket).add("ok")),
    },
    "SIG-45",
    /on a connection that carried a valid delivery/,
  ],
  "remembers signatures": [
    {
      accepts: (seen) =>
        memory(HOLES).has(seen.digits) || (isRight(seen) && !!memory(HOLES).add(seen.digits)),
    },
    "SIG-44",
    /signature that was just accepted/,
  ],
  "knows an event first": [
    {
      before: (seen) => (memory(ONLY).has(String(seen.body)) ? 200 : undefined),
      after: ({ body }) => void memory(ONLY).add(String(body)),
    },
    "SIG-46",
    /an event that was just accepted again/,
  ],
  "trusts X-Forwarded-For": [
    { accepts: unless(header("x-forwarded-for")) },
    "GATE-61",
    /methods or spellings/,
  ],
  "trusts Authorization": [{ accepts: unless(header("authorization")) }, "GATE-61", /methods or spellings/],
  "takes PATCH": [
    {
      accepts: unless(({ request }) => request.method === "PATCH"),
      before: ({ request }) => (request.method === "PATCH" ? 200 : undefined),
    },
    "GATE-63",
    /methods or spellings/,
  ],
  "reads the query": [
    { before: ({ request }) => (/event=property/.test(request.url ?? "") ? 200 : undefined) },
    "GATE-64",
    /bodies with a length/,
  ],
  "falls back to undefined": [
    {
      accepts: ({ digits, right, body }) =>
        [right, hmac("undefined", body)].includes(digits) && digits.length === 64,
    },
    "SIG-43",
    /`undefined`/,
  ],
  "falls back to changeme": [
    { accepts: unless(({ digits, body }) => digits === hmac("changeme", body)) },
    "SIG-43",
    /`changeme`/,
  ],
  "takes the header's name for the secret": [
    { accepts: unless(({ digits, body }) => digits === hmac("x-service-signature", body)) },
    "SIG-43",
    /anyone can guess/,
  ],
  "compares the second half": [{ accepts: by((hex) => hex.slice(32)) }, "SIG-39 SIG-40", /Only a part/],
  "compares all but the first digit": [{ accepts: by((hex) => hex.slice(1)) }, "SIG-40", /Only a part/],
  "compares all but the last digit": [{ accepts: by((hex) => hex.slice(0, -1)) }, "SIG-40", /Only a part/],
  "compares the last digit": [{ accepts: by((hex) => hex.slice(-1)) }, "SIG-39 SIG-40 SIG-41", /Only a part/],
  "compares the first digit": [
    { accepts: by((hex) => hex.slice(0, 1)) },
    "SIG-36 SIG-40 SIG-41",
    /Only a part/,
  ],
  "keeps only the last difference (d = a ^ b)": [
    { accepts: by((hex) => bytesOf(hex).at(-1)) },
    "SIG-39 SIG-40",
    /Only a part/,
  ],
  "adds the bytes up": [
    { accepts: by((hex) => bytesOf(hex).reduce((sum, one) => sum + one, 0)) },
    "SIG-39",
    /Only a part/,
  ],
  "saturates a 64-bit integer": [
    { accepts: by((hex) => (/^[89a-f]/.test(hex) ? "most" : hex)) },
    "SIG-41",
    /Only a part/,
  ],
  "sorts the digits": [{ accepts: by((hex) => [...hex].sort().join("")) }, "SIG-39", /Only a part/],
  "compares lengths alone": [
    { accepts: ({ digits }) => digits.length === 64 },
    "SIG-15 SIG-17 SIG-18",
    /Any signature of the right form/,
  ],
  "counts an error as success": [
    {
      accepts: ({ digits, right, request }) =>
        request.headers["x-service-signature"] !== undefined && (digits.length !== 64 || digits === right),
    },
    "SIG-02 SIG-10 SIG-11 SIG-42",
    /an error while verifying counts as success/,
  ],
  "is inverted": [{ accepts: (seen) => !isRight(seen) }, "KIND-01", /comparison is inverted/],
  "answers before it verifies": [
    { accepts: () => true, runs: isRight },
    "SIG-01 SIG-17 DUP-10",
    /answers before it verifies/,
  ],
  "verifies nothing": [{ accepts: () => true }, "SIG-01 SIG-17 DUP-10", /not verified at all/],
};

async function check(receiver: Made, ...only: string[]): Promise<CheckReport> {
  const { url, observe = "" } = await made(receiver);
  const observer = observeByUrl(observe, 3000);
  return runCheck({
    ...optionsFor(url, ...only),
    observer,
    settle: 5,
    timeout: 10_000,
    concurrency: 4,
    slow: Infinity,
  });
}

it.each(Object.entries(HOLES))(
  "a receiver that %s is seen, and the cause is named",
  async (_, [receiver, ids, says]) => {
    const report = await check(receiver, ...ONLY);
    const failed = report.results.filter(
      ({ outcome, severity }) => outcome === "failed" && severity === "required",
    );
    expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining(ids.split(" ")));
    expect(verdictText(report, false)).toMatch(/^FORGED DELIVERIES GET IN: /);
    expect(verdictText(report, false)).toMatch(says);
  },
);

/** Receivers that lose or refuse real events, the cases that see it, and what the first cause says. */
const REFUSALS: Readonly<Record<string, readonly [Made, string, RegExp]>> = {
  "escapes HTML before it verifies": [
    {
      accepts: (seen) =>
        seen.digits === hmac(SECRET, Buffer.from(String(seen.body).replaceAll("&", "&amp;"))),
    },
    "BODY-38",
    /./,
  ],
  "normalises text": [
    { accepts: (seen) => seen.digits === hmac(SECRET, Buffer.from(String(seen.body).normalize("NFC"))) },
    "BODY-39",
    /./,
  ],
  "limits bodies to 8 KiB": [
    { before: ({ body }) => (body.byteLength > 8192 ? 413 : undefined) },
    "BODY-40",
    /./,
  ],
  "has a key of whole seconds": [
    { key: ({ event: { timestamp = "", data } }) => `${data?.id} ${timestamp.slice(0, 19)}` },
    "DUP-08 DUP-11",
    /./,
  ],
  "has a key of `data`": [{ key: ({ event: { data } }) => JSON.stringify(data) }, "DUP-11 DUP-12", /./],
  "joins white space": [
    { accepts: (seen) => seen.digits === hmac(SECRET, Buffer.from(String(seen.body).replace(/\s+/g, " "))) },
    "BODY-16 BODY-17",
    /white space joined/,
  ],
  "joins lines": [
    {
      accepts: (seen) => seen.digits === hmac(SECRET, Buffer.from(String(seen.body).replace(/[\r\n]+/g, ""))),
    },
    "BODY-16 BODY-17",
    /other line breaks \(none in the receiver\)/,
  ],
  "fails on each ninth event, and marks it first": [
    {
      after: ({ body }) => {
        const seen = memory(REFUSALS);
        if (seen.has(String(body))) return 200;
        return seen.add(String(body)).size % 9 === 8 ? 500 : undefined;
      },
    },
    "",
    /An event that failed is lost/,
  ],
};

it.each(Object.entries(REFUSALS))(
  "a receiver that %s is seen, and no other cause is named",
  async (_, [receiver, ids, says]) => {
    const report = await check(receiver, "KIND", "SIG", "BODY", "DUP");
    const failed = report.results.filter(
      ({ outcome, severity }) => outcome === "failed" && severity === "required",
    );
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(ids.split(" ").filter((id) => id !== "")),
    );
    expect(verdictText(report, false)).toMatch(/^failed/);
    if (says.source !== ".") expect(report.diagnosis.join("\n")).toMatch(says);
    expect(report.diagnosis.join("\n")).not.toMatch(/json\.dumps|compared|secrets differ/);
  },
);

/** Receivers that verify something else than the body, and what is said of them. */
const SCHEMES: Readonly<Record<string, readonly [Made["accepts"], RegExp]>> = {
  "verifies `timestamp.body`": [
    ({ digits, body, event }) => digits === hmac(SECRET, Buffer.from(`${event.timestamp}.${body}`)),
    /`timestamp.body`, as other services sign it/,
  ],
  "verifies the URL and the body": [
    ({ digits, body, request }) =>
      digits === hmac(SECRET, Buffer.from(`http://${request.headers.host}/webhooks${body}`)),
    /the URL and the body/,
  ],
  "verifies the path and the body": [
    ({ digits, body }) => digits === hmac(SECRET, Buffer.from(`/webhooks${body}`)),
    /the path and the body/,
  ],
};

it.each(Object.entries(SCHEMES))("a receiver that %s is told so", async (_, [accepts, says]) => {
  const { diagnosis } = await check({ ...(accepts && { accepts }) }, "KIND");
  expect(diagnosis).toEqual([expect.stringMatching(says)]);
});

it("an empty body that was verified is seen by the failure that follows", async () => {
  const { diagnosis } = await check(
    { accepts: ({ digits }) => digits === hmac(SECRET, Buffer.alloc(0)), after: () => 500 },
    "KIND",
  );
  expect(diagnosis).toEqual([expect.stringMatching(/an empty body.*It was then answered with 500/)]);
});

it("a time in data that must be recent is named", async () => {
  const isFresh = ({ event: { data } }: Seen) =>
    Date.now() - Date.parse((data as { created_at?: string } | undefined)?.created_at ?? "") < 300_000;
  const { diagnosis } = await check({ accepts: (seen) => isRight(seen) && isFresh(seen) }, "KIND");
  expect(diagnosis).toEqual([expect.stringMatching(/takes a time in `data`/)]);
});
