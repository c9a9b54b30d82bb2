import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Logger } from "../../src/entries/index.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";
import { OutcomeLog } from "../../src/receiver/outcome-log.ts";
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
  const lines: object[] = [];
  const note = (fields: unknown) => void lines.push(fields as object);
  const outcomes = new OutcomeLog({ debug: note, info: note, warn: note, error: note } as Logger);
  const delivery = { method: "POST", target: "/", headers: {}, body: bytes(""), receivedAt: 1 };
  for (let seq = 1; seq <= 2000; seq++) {
    const key = { source: "service", eventId: `evt_${seq}`, timestamp: 1 };
    const entry = {
      seq,
      key,
      lease: "a",
      kind: "b",
      orderKey: null,
      runAt: 1,
      attempts: 1,
      finishedHandlers: [],
    };
    const settlement = {
      seq,
      lease: "a",
      state: "handled",
      reason: null,
      runAt: 1,
      finishedHandlers: [],
      records: [],
    };
    outcomes.run({ ...entry, delivery }, settlement as Settlement, 1);
  }
  const [first = {}, second = {}] = lines.slice(-2);
  expect(first).toMatchObject({ outcome: "handled", seq: 1999 });
  expect(haveOneHiddenClass(first, second)).toBe(true);
});

it("a target that does not answer has one line until it answers again", () => {
  const lines: unknown[] = [];
  const note = (fields: unknown) => {
    const { outcome, target } = fields as { outcome: string; target?: string };
    if (target !== undefined) lines.push(outcome);
  };
  const outcomes = new OutcomeLog({ debug: note, info: note, warn: note, error: note } as Logger);
  const waits = [{ target: "app", since: 1, attempts: 1, nextAt: 2, over: null }];
  const run = (before: typeof waits | undefined, settlement: Partial<Settlement>) => {
    const entry = {
      seq: 1,
      key: { source: "service", eventId: "evt_1", timestamp: 1 },
      kind: "b",
      attempts: 1,
    };
    outcomes.run(
      { ...entry, waits: before } as never,
      { records: [], reason: null, ...settlement } as never,
      1,
    );
  };
  const away = { state: "waiting", reason: "target_away", waits } as const;
  run(undefined, away); // held back, without a try
  expect(lines).toEqual([]);
  const records = [{ handler: "a", duration: 1 }] as never;
  run(undefined, { ...away, records });
  run(waits, { ...away, records });
  expect(lines).toEqual(["target_away"]);
  run(waits, { state: "handled", records });
  run(waits, { state: "handled", records });
  expect(lines).toEqual(["target_away", "target_back"]);
  run(waits, { ...away, records });
  expect(lines).toHaveLength(3);
});

it("runs at the same time take as long as from the first start to the last end", () => {
  const lines: unknown[] = [];
  const note = (fields: unknown) => void lines.push(fields);
  const outcomes = new OutcomeLog({ debug: note, info: note, warn: note, error: note } as Logger);
  const entry = {
    seq: 1,
    key: { source: "service", eventId: "evt_1", timestamp: 1 },
    kind: "b",
    attempts: 1,
  };
  const records = [
    { handler: "a", startedAt: 1000, duration: 30.004 },
    { handler: "b", startedAt: 1010, duration: 40 },
  ];
  outcomes.run(entry as never, { state: "handled", reason: null, records } as never, 1);
  outcomes.run(entry as never, { state: "dead", reason: "invalid_data", records: [] } as never, 1);
  expect(lines).toMatchObject([{ duration: 50 }, { duration: 0 }]);
});

describe("the log has one line for", () => {
  it("a new event and its run, as information with the event's id, kind and duration", async () => {
    const { receiver, post, logged, entry } = await openLogged();
    receiver.on("payment.received", () => {});
    await post(envelope());
    await until(() => expect(logged).toHaveLength(2));
    const { seq, key } = await entry();
    const of = { seq, eventId: key.eventId, kind: "payment.received", duration: DURATION };
    expect(logged.map(({ level, fields }) => ({ level, fields }))).toEqual([
      { level: "info", fields: { outcome: "accepted", reason: undefined, ...of } },
      { level: "info", fields: { outcome: "handled", reason: undefined, attempt: 1, ...of } },
    ]);
  });

  it("a duplicate, for debugging", async () => {
    const { post, logged } = await openLogged({ role: "receive" });
    await post(envelope());
    await post(envelope());
    expect(logged[1]).toMatchObject({ level: "debug", fields: { outcome: "duplicate" } });
    expect(logged).toHaveLength(2);
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

  it("an event without a handler, as information", async () => {
    const { post, logged } = await openLogged();
    await post(envelope());
    await until(() => expect(logged).toHaveLength(2));
    expect(logged[1]).toMatchObject({
      level: "info",
      fields: { outcome: "received", reason: "no_handler" },
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

it("a logger that throws costs the sender no answer", async () => {
  const fail = () => {
    throw new Error("disk full");
  };
  const { receiver } = await openReceiver({
    log: { debug: fail, info: fail, warn: fail, error: fail },
  });
  expect((await postTo(receiver)(envelope())).status).toBe(200);
});
