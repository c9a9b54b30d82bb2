import { setTimeout as sleep } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openReceiver } from "./open.ts";
import { bytes, deliveryOf, freshEnvelope, keptLog, signedHeaders, uncaught } from "./sample.ts";

const KIND = "payment.received";
const PLACE = /failing-schemas\.test\.ts:\d+/;

/** A schema whose result is broken until it is mended. */
function breakable(broken: (value: unknown) => unknown) {
  const state = { isBroken: true };
  const validate = (value: unknown) => (state.isBroken ? broken(value) : { value });
  const schema = { "~standard": { version: 1, vendor: "test", validate } };
  return { state, schemas: { [KIND]: schema } as never };
}

function fail(): never {
  throw new TypeError("mine");
}

/** What `await` takes for a promise. */
const thenable = (value: (resolve: unknown, reject: (error?: unknown) => void) => void) =>
  // biome-ignore lint/suspicious/noThenProperty: that is what is tried
  Object.defineProperty({}, "then", { value });

const withGetter = (name: string) => Object.defineProperty({}, name, { get: fail });

interface Case {
  readonly broken: (value: unknown) => unknown;
  /** What the dead letter says of it, beside its kind. */
  readonly told: RegExp;
  readonly isPlaced?: true;
}

const CASES: Readonly<Record<string, Case>> = {
  "throws at once": { broken: fail, told: /TypeError.*: mine/, isPlaced: true },
  "throws a string": {
    broken: () => {
      throw "mine";
    },
    told: /the string "mine"/,
  },
  "throws undefined": {
    broken: () => {
      throw undefined;
    },
    told: /undefined/,
  },
  "throws an error of another realm": {
    broken: () => runInNewContext("throw new RangeError('theirs')"),
    told: /RangeError.*: theirs/,
  },
  rejects: { broken: async () => fail(), told: /TypeError.*: mine/, isPlaced: true },
  "rejects later": { broken: () => sleep(1).then(fail), told: /TypeError.*: mine/, isPlaced: true },
  "returns a promise of another realm that rejects": {
    broken: () => runInNewContext("Promise.reject(new RangeError('theirs'))"),
    told: /RangeError.*: theirs/,
  },
  "returns a thenable that throws": {
    broken: () => thenable(fail),
    told: /TypeError.*: mine/,
    isPlaced: true,
  },
  "returns a thenable that rejects with undefined": {
    broken: () => thenable((_, reject) => reject()),
    told: /undefined/,
  },
  "returns an object whose then throws when read": {
    broken: () => withGetter("then"),
    told: /TypeError.*: mine/,
    isPlaced: true,
  },
  "returns an object whose issues throw when read": {
    broken: () => withGetter("issues"),
    told: /TypeError.*: mine/,
    isPlaced: true,
  },
  "returns an object whose value throws when read": {
    broken: () => withGetter("value"),
    told: /TypeError.*: mine/,
    isPlaced: true,
  },
  "never decides": { broken: () => new Promise(() => {}), told: /within 20 ms/ },
  "returns a thenable that never calls back": {
    broken: () => thenable(() => {}),
    told: /within 20 ms/,
  },
  "returns undefined": { broken: () => undefined, told: /TypeError/ },
  "resolves with undefined": { broken: async () => undefined, told: /TypeError/ },
  "returns neither value nor issues": { broken: () => ({}), told: /value or issues/ },
  "returns issues that are no array": {
    broken: () => ({ issues: new Set(["no"]) }),
    told: /issues to be an array/,
  },
  "returns issues that are a string": {
    broken: () => ({ issues: "no" }),
    told: /issues to be an array/,
  },
  "returns an issue that is null": { broken: () => ({ issues: [null] }), told: /TypeError/ },
  "returns an issue with a path that is no array": {
    broken: () => ({ issues: [{ message: "no", path: 7 }] }),
    told: /TypeError/,
  },
};

describe.each(Object.entries(CASES))("a schema that %s", (_, { broken, told, isPlaced }) => {
  it("leaves a dead letter that names kind and cause, answers 200, and runs once it is mended", async () => {
    const caught = uncaught();
    const { state, schemas } = breakable(broken);
    const { log, outcomes } = keptLog();
    const { receiver, entry, untilState } = await openReceiver({ schemas, bodyTimeout: 20, log });
    const seen: unknown[] = [];
    const dead: unknown[] = [];
    receiver.on(KIND, ({ data }) => void seen.push(data));
    receiver.onDead(({ reason, problems }) => void dead.push([reason, problems.length]));
    const envelope = freshEnvelope();
    const body = bytes(envelope);
    const request = { method: "POST", target: "/webhooks", path: "/webhooks" };
    const answer = await receiver.receive({
      ...request,
      headers: signedHeaders(body),
      read: async () => body,
    });
    expect(answer.status).toBe(200);

    const { seq, reason, problems } = await entry();
    expect(reason).toBe("schema_failed");
    expect(problems).toMatchObject([{ field: "data", message: expect.stringMatching(told) }]);
    expect(problems[0]?.message).toContain(`the schema of ${KIND}`);
    if (isPlaced) expect(problems[0]?.message).toMatch(PLACE);
    expect((await inboxOf(receiver).delivery(seq))?.body).toEqual(new Uint8Array(body));
    expect(JSON.stringify(outcomes)).toContain(`the schema of ${KIND}`);

    expect(dead).toEqual([["schema_failed", 1]]);
    expect(await receiver.recheck(seq)).toHaveLength(1);
    state.isBroken = false;
    await receiver.inbox.retry({ seqs: [seq] });
    await untilState("handled");
    expect(seen).toEqual([envelope.data]);
    await sleep(5);
    expect(caught).toEqual([]);
  });
});

it("an entry whose schema fails when it is to run is tried again, and its end names the schema", async () => {
  const store = memoryInbox();
  const first = await openReceiver({ inbox: handleOf(store), role: "receive" });
  await first.receiver.accept(deliveryOf(freshEnvelope()));
  const { schemas, state } = breakable(fail);
  const retry = { attempts: 2, delay: 0 };
  const second = await openReceiver({ inbox: handleOf(store), schemas, retry });
  second.receiver.on(KIND, () => {});
  await second.untilState("dead");
  const { seq, problems, attempts } = await second.entry();
  expect(attempts).toBe(2);
  expect(problems).toMatchObject([{ message: expect.stringMatching(PLACE) }]);
  state.isBroken = false;
  await second.receiver.inbox.retry({ seqs: [seq] });
  await second.untilState("handled");
  expect((await second.entry()).problems).toEqual([]);
});

it("what a failing schema says is left out if it holds a value of data", async () => {
  const { schemas } = breakable((value) => {
    throw new Error(`no such iban: ${(value as { iban: string }).iban}`);
  });
  const { log, lines, outcomes } = keptLog();
  const { receiver, entry } = await openReceiver({ schemas, log });
  await receiver.accept(deliveryOf(freshEnvelope({ data: { iban: "FR761234" } })));
  expect(JSON.stringify([await entry(), lines, outcomes])).not.toContain("FR761234");
  expect((await entry()).problems[0]?.message).toMatch(PLACE);
});
