import { expect, it } from "vitest";
import { type Delivery, HookporterError } from "../../../../src/entries/index.ts";
import type { ClaimedEntry } from "../../../../src/inbox/claim.ts";
import type { Settlement } from "../../../../src/inbox/settlement.ts";
import type { Operation } from "../../../../src/inbox/sqlite/operations.ts";
import {
  packBatch,
  packResults,
  unpackBatch,
  unpackResults,
} from "../../../../src/inbox/sqlite/thread/batch.ts";

const delivery = {
  method: "POST",
  target: "/webhooks?a=1",
  headers: { "x-name": "Zoë \ud800 €", "set-cookie": ["a", "b"] },
  body: new Uint8Array([0, 255, 10]),
  receivedAt: 1_767_225_600_123,
};
const empty = { ...delivery, target: "", headers: {}, body: new Uint8Array(0) };
const key = { source: "service", eventId: "evt_1", timestamp: -(10 ** 15) };
const record = { attempt: 2, handler: "*", startedAt: 9, duration: 1.5, outcome: "ok" } as const;
const settlement: Settlement = {
  seq: 3,
  lease: "a.b",
  state: "waiting",
  reason: "target_away",
  problems: undefined,
  runAt: 12,
  finishedHandlers: ["é"],
  waits: [],
  uncount: true,
  unordered: false,
  records: [{ ...record, error: null, failure: null, note: "\u0000" }],
};
const entry = {
  key,
  kind: null,
  eventTimestamp: null,
  state: "dead",
  reason: "invalid_json",
  problems: undefined,
  orderKey: null,
  runAt: undefined,
  afterPruning: false,
  lease: undefined,
};

const event = {
  kind: "a.b",
  eventTimestamp: 5,
  state: "waiting",
  reason: null,
  orderKey: "o",
  runAt: 7,
  afterPruning: true,
};

/**
 * What arrives, with the headers of a delivery that is only stored parsed: they stay the JSON that
 * they are.
 */
function plain(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || !("delivery" in arg)) return arg;
  const { headers, ...rest } = arg.delivery as Delivery;
  return { ...arg, delivery: { ...rest, headers: JSON.parse(String(headers)) } };
}

it("the operations of a batch arrive as they were sent, each with its own body", () => {
  const operations: Operation[] = [
    { name: "append", args: [{ ...entry, ...event, lease: { token: "t", until: 9 }, delivery }] },
    {
      name: "append",
      args: [{ ...entry, problems: [{ field: "data.a", message: "is missing" }], delivery: empty }],
    },
    {
      name: "finish",
      args: [{ seq: 3, lease: "a.b", runAt: 12, runs: '["é"]', ordered: true }, 11],
    },
    { name: "settle", args: [settlement, 11] },
    { name: "renew", args: [[{ seq: 1, lease: "x" }], 4] },
  ];
  const sent = unpackBatch(packBatch(operations)).map(({ name, args }) => ({
    name,
    args: args.map(plain),
  }));
  expect(sent).toEqual(operations);
});

it("the results of a batch arrive as they were, in order", () => {
  const claimed: ClaimedEntry = {
    seq: 4,
    lease: "l",
    key,
    kind: null,
    orderKey: "o",
    runAt: 5,
    attempts: 1,
    finishedHandlers: [],
    waits: [],
    dueAt: 3,
    reason: null,
    delivery,
  };
  const results = [
    { value: { seq: 1, duplicate: false, state: "waiting", leased: true } },
    { value: { seq: 2, duplicate: true, state: "dead" } },
    { value: [claimed, { ...claimed, unreadable: "damaged", delivery: empty }] },
    { value: undefined },
    { value: true },
  ];
  const names = ["append", "append", "claim", "append", "settle"] as const;
  const operations = names.map((name): Operation => ({ name, args: [] }));
  expect(unpackResults(packResults(operations, results))).toEqual(results);
});

it("an error arrives with its class, its code and SQLite's code", () => {
  const busy = new HookporterError("inbox_busy", "later");
  const full = Object.assign(new Error("disk full"), { errcode: 13 });
  const results = unpackResults(packResults([], [{ error: busy }, { error: full }]));
  expect(results).toMatchObject([{ error: { code: "inbox_busy" } }, { error: { errcode: 13 } }]);
  expect(results[0]).toSatisfy(({ error }) => error instanceof HookporterError);
});
