import { describe, expect, it } from "vitest";
import { type RefusalReason, SIGNATURE_HEADER } from "../../src/entries/index.ts";
import { SignedRefusals } from "../../src/receiver/signed-refusals.ts";
import { openEndpoint } from "./open.ts";
import { bytes, envelope, keptLog, signedHeaders } from "./sample.ts";
import { ADAPTERS } from "./wire.ts";

const GOOD = bytes(envelope());
const SIGNATURE = signedHeaders(GOOD)[SIGNATURE_HEADER] ?? "";

/** Signed refusals with a logger that keeps its lines. */
function open(log = keptLog()) {
  const signed = new SignedRefusals({
    log: log.log,
    signatureHeader: SIGNATURE_HEADER,
    bodyLimit: 100,
  });
  const note = (reason: RefusalReason, now: number, more: object = {}) => {
    const head = {
      method: "POST",
      target: "/wrong",
      path: "/webhooks",
      headers: { [SIGNATURE_HEADER]: "x" },
    };
    signed.note({ ...head, ...more }, { type: "refused", reason }, now);
  };
  return { signed, note, lines: log.lines };
}

it.each<[RefusalReason, number, string]>([
  ["wrong_path", 404, "listens at /webhooks"],
  ["wrong_method", 405, "redirect"],
  ["too_large", 413, "100 bytes"],
  ["content_encoding", 415, "compresses"],
])(
  "a signed request that is refused for %s is a warning with status %d, cause and fix",
  (reason, status, fix) => {
    const { note, lines } = open();
    note(reason, 0);
    expect(lines).toMatchObject([{ level: "warn", fields: { reason } }]);
    expect(lines[0]?.message).toContain(`a signed POST to /wrong was answered ${status}: `);
    expect(lines[0]?.message).toContain(fix);
  },
);

it("a cause is logged once a minute, with the number of those that were left out", () => {
  const { note, lines } = open();
  for (const now of [1000, 1000, 30_000, 60_999, 61_000, 61_001, 200_000, 300_000])
    note("wrong_path", now);
  expect(lines.map(({ fields }) => fields)).toEqual([
    { reason: "wrong_path", unlogged: undefined },
    { reason: "wrong_path", unlogged: 3 },
    { reason: "wrong_path", unlogged: 1 },
    { reason: "wrong_path", unlogged: undefined },
  ]);
});

it("a cause does not hold back another one, nor itself after the clock was set back", () => {
  const { note, lines } = open();
  note("wrong_path", 10_000_000);
  note("wrong_method", 10_000_001);
  note("wrong_path", 5000);
  expect(lines).toHaveLength(3);
});

it.each<RefusalReason>(["too_slow", "aborted", "stalled", "overloaded"])(
  "a request that is refused for %s is not logged: the sender or the load is the cause",
  (reason) => {
    const { note, lines } = open();
    note(reason, 0);
    expect(lines).toEqual([]);
  },
);

it("a request without the signature header is not logged", () => {
  const { note, lines } = open();
  note("wrong_path", 0, { headers: { "x-other": SIGNATURE } });
  note("wrong_path", 0, { headers: Object.create({ [SIGNATURE_HEADER]: "x" }) });
  expect(lines).toEqual([]);
});

it("the encoding is logged, cut, and without what could forge a line", () => {
  const { note, lines } = open();
  const told = (encoding: unknown) => {
    const now = lines.length * 60_000;
    note("content_encoding", now, {
      headers: { [SIGNATURE_HEADER]: "x", "content-encoding": encoding },
    });
    return lines.at(-1)?.message;
  };
  expect(told("gzip")).toContain('its Content-Encoding is "gzip"');
  expect(told(["identity", "br"])).toContain('is "identity,br"');
  expect(told('gzip"\n\u001b[31m\u202e fake')).toContain('is "gzip___[31m_ fake"');
  expect(told(`gzip, ${"a".repeat(5000)}`)?.length).toBeLessThan(300);
});

it("the values of a query, control characters and the rest of a long target are not logged", () => {
  const { note, lines } = open();
  note("wrong_path", 0, { target: "/wrong?code=hunter2&hunter3" });
  note("wrong_method", 0, { target: "/\u009b31m\u00e9?x" });
  note("too_large", 0, { target: `/${"a".repeat(5000)}` });
  const [first = "", second = "", third = ""] = lines.map(({ message }) => message);
  expect(first).toContain("/wrong?code=…&… was");
  expect(second).toContain("to /_31m_?… was");
  expect(third.length).toBeLessThan(400);
  expect(JSON.stringify(lines)).not.toContain("hunter");
});

describe.each(ADAPTERS)("over $name", (adapter) => {
  it("a signed request that is refused is logged, without its body or its signature", async () => {
    const { ask, lines, clock } = await openEndpoint(adapter, { bodyLimit: GOOD.length });
    const signed = signedHeaders(GOOD);
    await ask({ method: "PUT", headers: signed, body: GOOD });
    await ask({ headers: signed, body: Buffer.concat([GOOD, GOOD]) });
    await ask({ headers: { ...signed, "content-encoding": "gzip" }, body: GOOD });
    await ask({ headers: { ...signed, "content-encoding": "gzip" }, body: GOOD });
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { reason: "wrong_method" },
      { reason: "too_large" },
      { reason: "content_encoding" },
    ]);
    clock.now += 60_000;
    await ask({ headers: { ...signed, "content-encoding": "gzip" }, body: GOOD });
    expect(lines[3]).toMatchObject({
      level: "warn",
      fields: { reason: "content_encoding", unlogged: 1 },
    });
    const all = JSON.stringify(lines);
    expect(all).not.toContain(SIGNATURE.slice(-20));
    expect(all).not.toContain("payment");
  });

  it("nothing is logged for requests that are not signed, and for deliveries that are taken", async () => {
    const { ask, post, lines } = await openEndpoint(adapter);
    await ask({ method: "PUT" });
    await ask({ headers: { "content-encoding": "gzip" }, body: GOOD });
    expect((await post(GOOD)).status).toBe(200);
    expect(lines).toEqual([]);
  });
});
