import { createHash, createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { observeByUrl } from "../../src/check/observer.ts";
import { isRight, type Made, made, type Seen } from "./receivers/made.ts";
import { type AtEnd, SECRET } from "./receivers/under-test.ts";
import { optionsFor, runCheck, type ShownReport, verdictText } from "./sample.ts";

const ONLY = ["KIND", "SIG", "GATE", "BODY", "DUP"];
const known = new Map<object, Set<unknown>>();
const newest = { timestamp: "" };
/** What a receiver remembers of one kind of thing, from one delivery to the next. */
function memory(of: object): Set<unknown> {
  const set = known.get(of) ?? new Set();
  known.set(of, set);
  return set;
}
const results = { requests: 0 };
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

/** Compares with the digest of something else than the body. */
const verifies = (made: (seen: Seen) => string) => (seen: Seen) =>
  seen.digits === hmac(SECRET, Buffer.from(made(seen)));

const KINDS = /of some kinds only/;
const NETWORK = /own network/;
const PART = /Only a part/;
const GUESS = /anyone can guess/;

/** A receiver, or just what it accepts. */
type Receiver = Made | NonNullable<Made["accepts"]>;

/** Receivers that let forgeries in, the cases that see it, and how the verdict goes on. */
const HOLES: Readonly<Record<string, readonly [Receiver, string, RegExp]>> = {
  "verifies two kinds": [
    unless(
      ({ event: { event } }) =>
        !/^property\.created$|^payment\.received$|^undefined$/.test(`${event}`),
    ),
    "SIG-37 SIG-38",
    KINDS,
  ],
  "lets one kind in": [
    unless(({ event: { event } }) => event === "payment.overdue"),
    "SIG-37 SIG-38",
    KINDS,
  ],
  "answers webhook.test first": [
    unless(({ event: { event } }) => event === "webhook.test"),
    "SIG-37 SIG-38",
    KINDS,
  ],
  "trusts a connection": [
    (seen) => memory(seen.socket).has("ok") || (isRight(seen) && !!memory(seen.socket).add("ok")),
    "SIG-45",
    /for a connection or for all requests.*confirmed: unsigned, wrong/,
  ],
  "remembers signatures": [
    (seen) => memory(HOLES).has(seen.digits) || (isRight(seen) && !!memory(HOLES).add(seen.digits)),
    "SIG-44",
    /remembers a signature/,
  ],
  "knows an event first": [
    {
      before: (seen) => (memory(ONLY).has(String(seen.body)) ? 200 : undefined),
      after: ({ body }) => void memory(ONLY).add(String(body)),
    },
    "SIG-46",
    /looks for duplicates before it verifies/,
  ],
  "trusts X-Forwarded-For": [unless(header("x-forwarded-for")), "GATE-61", NETWORK],
  "trusts Authorization": [unless(header("authorization")), "GATE-61", NETWORK],
  "trusts Host: localhost": [
    unless(({ request }) => request.headers.host === "localhost"),
    "GATE-61",
    NETWORK,
  ],
  "trusts CF-Connecting-IP": [unless(header("cf-connecting-ip")), "GATE-61", NETWORK],
  "lets X-Test skip the check": [unless(header("x-test")), "GATE-61", NETWORK],
  "answers what is marked as a test": [
    unless(({ event }) => (event as { test?: boolean }).test === true),
    "SIG-37 SIG-38",
    KINDS,
  ],
  "compares with a digest that is undefined": [
    unless(({ digits }) => digits === "undefined"),
    "SIG-02",
    /without a digest.*confirmed: sha256=undefined/,
  ],
  "verifies small bodies only": [
    unless(({ body }) => body.byteLength > 5000),
    "GATE-45",
    /some forms or sizes of bodies/,
  ],
  "skips the check if the query has the event": [
    unless(({ request }) => /[?&]event=/.test(request.url ?? "")),
    "GATE-64",
    /fields from the URL.*the event/,
  ],
  "skips the check now and then": [
    unless(() => results.requests++ % 5 < 2),
    "SIG-37 SIG-38",
    /now and then/,
  ],
  "verifies all kinds but that of the sample": [
    unless(({ event: { event } }) => event === "property.created"),
    "SIG-01 SIG-37 SIG-38",
    KINDS,
  ],
  "uses webhook.id as its secret": [
    unless(({ digits, body, event: { webhook } }) => digits === hmac(`${webhook?.id}`, body)),
    "SIG-43",
    GUESS,
  ],
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
    /fields from the URL/,
  ],
  "falls back to undefined": [
    ({ digits, right, body }) =>
      [right, hmac("undefined", body)].includes(digits) && digits.length === 64,
    "SIG-43",
    /anyone can guess.*confirmed: undefined/,
  ],
  "falls back to changeme": [
    unless(({ digits, body }) => digits === hmac("changeme", body)),
    "SIG-43",
    /anyone can guess.*confirmed: changeme/,
  ],
  "takes the header's name for the secret": [
    unless(({ digits, body }) => digits === hmac("x-service-signature", body)),
    "SIG-43",
    GUESS,
  ],
  "compares the second half": [by((hex) => hex.slice(32)), "SIG-39 SIG-40", PART],
  "compares all but the first digit": [by((hex) => hex.slice(1)), "SIG-40", PART],
  "compares all but the last digit": [by((hex) => hex.slice(0, -1)), "SIG-40", PART],
  "compares the first digit of what was sent": [
    ({ digits, right }) => digits[0] === right[0],
    "SIG-10 SIG-36 SIG-40",
    /Only a part.*\(SIG-/,
  ],
  "keeps only the last difference of digits": [
    ({ digits, right }) => digits.length === 64 && digits.at(-1) === right.at(-1),
    "SIG-39 SIG-40",
    PART,
  ],
  "compares the last digit": [by((hex) => hex.slice(-1)), "SIG-39 SIG-40 SIG-41", PART],
  "compares the first digit": [by((hex) => hex.slice(0, 1)), "SIG-36 SIG-40 SIG-41", PART],
  "keeps only the last difference (d = a ^ b)": [
    by((hex) => bytesOf(hex).at(-1)),
    "SIG-39 SIG-40",
    PART,
  ],
  "adds the bytes up": [
    by((hex) => bytesOf(hex).reduce((sum, number) => sum + number, 0)),
    "SIG-39",
    PART,
  ],
  "saturates a 64-bit integer": [
    by((hex) => (/^[89a-f]/.test(hex) ? "most" : hex)),
    "SIG-41",
    PART,
  ],
  "sorts the digits": [by((hex) => [...hex].sort().join("")), "SIG-39", PART],
  "compares lengths alone": [
    ({ digits }) => digits.length === 64,
    "SIG-15 SIG-17 SIG-18",
    /Any signature of the right form/,
  ],
  "counts an error as success": [
    ({ digits, right, request }) =>
      request.headers["x-service-signature"] !== undefined &&
      (digits.length !== 64 || digits === right),
    "SIG-02 SIG-10 SIG-11 SIG-42",
    /an error while verifying counts as success/,
  ],
  "is inverted": [(seen) => !isRight(seen), "KIND-01", /comparison is inverted/],
  "answers before it verifies": [
    { accepts: () => true, runs: isRight },
    "SIG-01 SIG-17 DUP-10",
    /answers before it verifies/,
  ],
  "verifies nothing": [() => true, "SIG-01 SIG-17 DUP-10", /not verified at all/],
};

/** Those of which nothing else may be said to let forgeries in, though they fail cases about it. */
const ONE_CAUSE: ReadonlySet<string> = new Set([
  "compares the first digit of what was sent",
  "keeps only the last difference of digits",
  "skips the check now and then",
]);
const OTHER_CAUSES = /kinds only|only for some|as a signed number|digits as were sent/;

/**
 * Checks a receiver. Where tests run at once, since they wait for events that never run, each
 * passes its own `atEnd`.
 */
async function check(
  given: Receiver,
  only: readonly string[],
  atEnd?: AtEnd,
): Promise<ShownReport> {
  const receiver = typeof given === "function" ? { accepts: given } : given;
  const { url, observe = "" } = await made(receiver, atEnd);
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

/**
 * Receivers that lose or refuse real events, the cases that see it, and what the first cause says.
 */
const REFUSALS: Readonly<Record<string, readonly [Receiver, string, RegExp?]>> = {
  "escapes HTML before it verifies": [
    verifies(({ body }) => String(body).replaceAll("&", "&amp;")),
    "BODY-38",
  ],
  "normalises text": [verifies(({ body }) => String(body).normalize("NFC")), "BODY-39"],
  "limits bodies to 8 KiB": [
    { before: ({ body }) => (body.byteLength > 8192 ? 413 : undefined) },
    "BODY-40",
  ],
  "has a key of whole seconds": [
    { key: ({ event: { timestamp = "", data } }) => `${data?.id} ${timestamp.slice(0, 19)}` },
    "DUP-08 DUP-11",
  ],
  "has a key of `data`": [{ key: ({ event: { data } }) => JSON.stringify(data) }, "DUP-11 DUP-12"],
  "joins white space": [
    verifies(({ body }) => String(body).replace(/\s+/g, " ")),
    "BODY-16 BODY-17",
    /each run of white space as one space/,
  ],
  "joins lines": [
    verifies(({ body }) => String(body).replace(/[\r\n]+/g, "")),
    "BODY-16 BODY-17",
    /different line breaks \(none in the receiver\)/,
  ],
  "blocks what looks like HTML": [
    { before: ({ body }) => (/<b>/.test(String(body)) ? 403 : undefined) },
    "BODY-38",
  ],
  "takes events in the order of their timestamps alone": [
    {
      after: ({ event: { timestamp = "" } }) => {
        if (timestamp < newest.timestamp) return 409;
        newest.timestamp = timestamp;
        return undefined;
      },
    },
    "DUP-12",
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

/** Receivers that verify something else than the body, and what is said of them. */
const SCHEMES: Readonly<Record<string, readonly [NonNullable<Made["accepts"]>, RegExp]>> = {
  "verifies `timestamp.body`": [
    verifies(({ body, event }) => `${event.timestamp}.${body}`),
    /`timestamp.body`, as other services sign it/,
  ],
  "has the hash of its secret for a key": [
    ({ digits, body }) => digits === hmac(createHash("sha256").update(SECRET).digest("hex"), body),
    /a hash of the secret was the key in the receiver/,
  ],
  "verifies JSON with an indent of 1": [
    verifies(({ event }) => JSON.stringify(event, null, 1)),
    /different spacing \(1 space\)/,
  ],
  "verifies the URL and the body": [
    verifies(({ body, request }) => `http://${request.headers.host}/webhooks${body}`),
    /the URL and the body/,
  ],
  "verifies the URL and the body behind a proxy with TLS": [
    verifies(({ body, request }) => `https://${request.headers.host}/webhooks${body}`),
    /the URL and the body/,
  ],
  "verifies the path and the body": [
    verifies(({ body }) => `/webhooks${body}`),
    /the path and the body/,
  ],
};

// The receivers that are waited for come first, so that the others are checked meanwhile.
it.concurrent.for(Object.entries(REFUSALS))(
  "a receiver that %s is seen, and no other cause is named",
  async ([, [receiver, ids, says]], { onTestFinished }) => {
    const report = await check(receiver, ["KIND", "SIG", "BODY", "DUP"], onTestFinished);
    const failed = report.results.filter(
      ({ outcome, severity }) => outcome === "failed" && severity === "required",
    );
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(ids.split(" ").filter((id) => id !== "")),
    );
    expect(verdictText(report, false)).toMatch(/^failed/);
    if (says !== undefined) expect(report.diagnosis.join("\n")).toMatch(says);
    expect(report.diagnosis.join("\n")).not.toMatch(/json\.dumps|compared|secrets differ/);
  },
);

it.concurrent.for(Object.entries(SCHEMES))(
  "a receiver that %s is told so",
  async ([, [accepts, says]], { onTestFinished }) => {
    const { diagnosis } = await check(accepts, ["KIND"], onTestFinished);
    expect(diagnosis).toEqual([expect.stringMatching(says)]);
  },
);

it.concurrent.for(Object.entries(HOLES))(
  "a receiver that %s is seen, and the cause is named",
  async ([name, [receiver, ids, says]], { onTestFinished }) => {
    const report = await check(receiver, ONLY, onTestFinished);
    const failed = report.results.filter(
      ({ outcome, severity }) => outcome === "failed" && severity === "required",
    );
    expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining(ids.split(" ")));
    expect(verdictText(report, false)).toMatch(/^FORGED DELIVERIES GET IN: /);
    expect(verdictText(report, false)).toMatch(says);
    if (ONE_CAUSE.has(name)) expect(report.diagnosis.join("\n")).not.toMatch(OTHER_CAUSES);
  },
);

it("a receiver that keeps the result in a variable of all requests is seen", async () => {
  let last = false;
  const { url } = await made({
    accepts: async (seen) => {
      last = isRight(seen);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return last;
    },
  });
  const report = await runCheck({ ...optionsFor(url, "SIG-45"), timeout: 10_000 });
  expect(verdictText(report, false)).toMatch(
    /^FORGED DELIVERIES GET IN.*confirmed: at the same time/,
  );
});

it("what is refused for another reason than its signature is not said to be re-serialised", async () => {
  const { results, diagnosis } = await check(REFUSALS["blocks what looks like HTML"]?.[0] ?? {}, [
    "BODY-38",
  ]);
  expect(results[1]?.fix).toMatch(
    /another reason than the signature \(403, and 401 to a wrong signature\)/,
  );
  expect(diagnosis).toEqual([]);
});

it("a receiver that answers otherwise to wrong signatures is not said to have another secret", async () => {
  const { diagnosis, requests } = await check({ after: () => 403 }, ["KIND-01"]);
  expect(diagnosis).toEqual([
    expect.stringMatching(/answers otherwise to a wrong signature.*--event/),
  ]);
  expect(requests).toBeLessThan(20);
});

it("an empty body that was verified is seen by the failure that follows", async () => {
  const { diagnosis } = await check(
    { accepts: ({ digits }) => digits === hmac(SECRET, Buffer.alloc(0)), after: () => 500 },
    ["KIND"],
  );
  expect(diagnosis).toEqual([
    expect.stringMatching(/the verified body was empty.*It was then answered with 500/),
  ]);
});

it("a time in data that must be recent is named", async () => {
  const isFresh = ({ event: { data } }: Seen) =>
    Date.now() - Date.parse((data as { created_at?: string } | undefined)?.created_at ?? "") <
    300_000;
  const { diagnosis } = await check({ accepts: (seen) => isRight(seen) && isFresh(seen) }, [
    "KIND",
  ]);
  expect(diagnosis).toEqual([expect.stringMatching(/takes a time in `data`/)]);
});
