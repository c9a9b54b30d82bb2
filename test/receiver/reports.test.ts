import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Listeners } from "../../src/base/listeners.ts";
import type { Logger } from "../../src/entries/index.ts";
import type { Entry } from "../../src/inbox/entry.ts";
import { Reports } from "../../src/receiver/reports.ts";
import { haveOneHiddenClass } from "../hidden-class.ts";
import { postTo } from "../observe/posting.ts";
import { openReceiver } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  envelope,
  freshEnvelope,
  keptLog,
  partsOf,
  SECRET,
  signedHeaders,
  until,
} from "./sample.ts";

/** A receiver with its lines about outcomes. */
async function openLogged(options: Parameters<typeof openReceiver>[0] = {}) {
  const { log, outcomes, lines } = keptLog();
  const opened = await openReceiver({ log, ...options });
  return { ...opened, logged: outcomes, otherLines: lines, post: postTo(opened.receiver) };
}

const DURATION = expect.any(Number);

it("makes no line of a level that the logger says it does not write", async () => {
  const asked: string[] = [];
  const { log, outcomes } = keptLog();
  const quiet = {
    ...log,
    isLevelEnabled: (level: string) => asked.push(level) > 0 && level !== "info",
  };
  const { receiver, post } = await openLogged({ log: quiet });
  const handled = new Promise((resolve) => receiver.on("payment.received", resolve));
  await post(envelope());
  await handled;
  await until(() => expect(asked).toEqual(["info", "info"]));
  await post("no JSON");
  expect(outcomes).toMatchObject([{ level: "error", fields: { outcome: "rejected" } }]);
});

it("the lines about runs that succeeded have one hidden class, however many there are", () => {
  const { outcomes, lines } = logOfRuns();
  for (let seq = 1; seq <= 2000; seq++) {
    const key = { source: "service", eventId: `evt_${seq}`, timestamp: 1 };
    const entry = { seq, key, kind: "b", attempts: 1, finishedHandlers: [] };
    outcomes.run(entry as never, { state: "handled", reason: null, records: [] } as never);
  }
  const [first = {}, second = {}] = lines.slice(-2);
  expect(first).toMatchObject({ outcome: "handled", seq: 1999 });
  expect(haveOneHiddenClass(first, second)).toBe(true);
});

/** A log of outcomes, and the fields of its lines. */
function logOfRuns() {
  const lines: object[] = [];
  const note = (fields: unknown) => void lines.push(fields as object);
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  const settings = partsOf({ secret: SECRET, inbox: "memory:", log, clock: () => 1 }).settings;
  const outcomes = new Reports(settings, new Listeners("observe", log));
  return { outcomes, lines };
}

it("runs at the same time take as long as from the first start to the last end", () => {
  const { outcomes, lines } = logOfRuns();
  const key = { source: "service", eventId: "evt_1", timestamp: 1 };
  const entry = { seq: 1, key, kind: "b", attempts: 1 } as never;
  const records = [
    { handler: "a", startedAt: 1000, duration: 30.004 },
    { handler: "b", startedAt: 1010, duration: 40 },
  ];
  outcomes.run(entry, { state: "handled", reason: null, records } as never);
  outcomes.run(entry, { state: "dead", reason: "invalid_data", records: [] } as never);
  expect(lines).toMatchObject([{ duration: 50 }, { duration: 0 }]);
});

describe("the log has one line for", () => {
  it("a new event and its run, or its lack of a handler, as information with the event's id, kind and duration", async () => {
    const { receiver, post, logged, entries } = await openLogged();
    receiver.on("payment.received", () => {});
    await post(envelope());
    await until(() => expect(logged).toHaveLength(2));
    const [one] = await entries();
    const { seq, key } = one as Entry;
    const of = { seq, eventId: key.eventId, kind: "payment.received", duration: DURATION };
    const none = { reason: undefined };
    expect(logged.map(({ level, fields }) => ({ level, fields }))).toEqual([
      { level: "info", fields: { outcome: "accepted", ...none, ...of } },
      { level: "info", fields: { outcome: "handled", ...none, attempt: 1, ...of } },
    ]);
    await post(envelope({ event: "lead.created" }));
    await until(() => expect(logged).toHaveLength(4));
    const fields = { outcome: "received", reason: "no_handler" };
    expect(logged[3]).toMatchObject({ level: "info", fields });
  });

  it("a signed delivery that is no event, as an error", async () => {
    const { post, logged } = await openLogged();
    await post("no JSON");
    await post(freshEnvelope({ timestamp: at(-30 * DAY) }));
    const levels = logged.map(({ level, fields }) => [
      level,
      (fields as { reason?: string }).reason,
    ]);
    expect(levels).toEqual([
      ["error", "invalid_json"],
      ["error", "too_old"],
    ]);
  });

  it("data that does not fit its schema, as an error with its fields, and for debugging if it arrives again", async () => {
    const schemas = { "payment.received": z.object({ amount: z.string() }) };
    const { post, logged, entry } = await openLogged({ role: "receive", schemas });
    await post(envelope());
    await post(envelope());
    const { seq, key } = await entry();
    const of = { seq, eventId: key.eventId, kind: "payment.received", reason: "invalid_data" };
    const problems = [expect.stringMatching(/^data\.amount: /)];
    expect(logged).toMatchObject([
      { level: "error", fields: { outcome: "dead", ...of, problems } },
      { level: "debug", fields: { outcome: "duplicate", ...of } },
    ]);
  });

  it("each retry as a warning, and the dead letter at its end as an error", async () => {
    const { receiver, post, logged } = await openLogged({ retry: { attempts: 2, delay: 0 } });
    receiver.on("*", () => Promise.reject(new RangeError("no")), { name: "books" });
    await post(envelope());
    await until(() => expect(logged).toHaveLength(3));
    const failed = { kind: "payment.received", handler: "books", error: "RangeError" };
    expect(logged[1]).toMatchObject({
      level: "warn",
      fields: { outcome: "failing", attempt: 1, ...failed },
    });
    expect(logged[2]).toMatchObject({
      level: "error",
      fields: { outcome: "dead", reason: "attempts_exhausted", attempt: 2, ...failed },
    });
  });

  it("the first of many unauthentic requests, since anyone can send them", async () => {
    const { post, logged } = await openLogged();
    for (let n = 0; n < 20; n++)
      await post(freshEnvelope(), { secret: "another-secret-0123456789" });
    for (let n = 0; n < 20; n++) await post(freshEnvelope(), { method: "GET" });
    expect(logged).toMatchObject([
      { level: "warn", fields: { outcome: "unauthorized", reason: "signature_mismatch" } },
      { level: "info", fields: { outcome: "refused", reason: "wrong_method" } },
    ]);
  });
});

it("a target that does not answer is logged once, not for each event that waits for it", async () => {
  const { receiver, post, logged } = await openLogged({ retry: { delay: 0, jitter: 0 } });
  let isAway = true;
  const away = () => Object.assign(new Error("connect ECONNREFUSED"), { away: true });
  const send = () => (isAway ? Promise.reject(away()) : undefined);
  receiver.on("*", send, { target: { name: "http://app.test/" } });
  const about = (outcome: string) =>
    logged.filter(({ fields }) => Reflect.get(fields, "outcome") === outcome);
  for (let n = 0; n < 5; n++) await post(freshEnvelope());
  await until(() => expect(about("target_away")).toHaveLength(1));
  isAway = false;
  await until(() => expect(about("handled")).toHaveLength(5));
  expect(about("target_away")).toMatchObject([
    { level: "warn", fields: { target: "http://app.test/" } },
  ]);
  expect(about("target_back")).toMatchObject([{ level: "info" }]);
  expect(about("retry").filter(({ level }) => level !== "debug")).toEqual([]);
});

it("the log shows no body, header, query, secret or error's message", async () => {
  const { receiver, post, logged, otherLines } = await openLogged({
    retry: { attempts: 2, delay: 0 },
  });
  receiver.on("*", () => Promise.reject(new Error("canary-message")));
  const body = bytes(freshEnvelope({ data: { id: "canary-payload" } }));
  await post(body, { headers: { ...signedHeaders(body), authorization: "canary-header" } });
  await post(bytes(freshEnvelope({ data: { id: "canary-payload" } })), {
    secret: "canary-secret-0123456789",
  });
  await post("canary-text");
  await until(() => expect(logged.at(-1)).toMatchObject({ fields: { outcome: "dead" } }));
  expect(logged.length).toBeGreaterThan(4);
  expect(JSON.stringify([...logged, ...otherLines])).not.toContain("canary");
});
