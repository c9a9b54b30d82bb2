import { afterEach, describe, expect, it } from "vitest";
import { createTestReceiver } from "../../src/entries/testing.ts";
import { openReceiver } from "./open.ts";
import { deliveryOf, freshEnvelope, inboxFile, until } from "./sample.ts";

const { Promise: native } = globalThis;
afterEach(() => {
  globalThis.Promise = native;
});

/**
 * As zone.js does, which Angular's server loads: the promises of async functions are then of
 * another class.
 */
function replacePromise(): void {
  globalThis.Promise = class<Value> extends native<Value> {} as PromiseConstructor;
}

/** A schema with an async check, as an async function of any library. */
const asyncSchema = {
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: async (value: unknown) => {
      const isPaid = Object(value).paid !== false;
      return isPaid ? { value } : { issues: [{ message: "is not paid" }] };
    },
  },
};

describe.each(["before", "after"])("with the global Promise replaced %s the start", (when) => {
  async function opened(options: Parameters<typeof openReceiver>[0]) {
    if (when === "before") replacePromise();
    const one = await openReceiver(options);
    if (when === "after") replacePromise();
    return one;
  }

  it.each(["memory:", "a file"])(
    "each handler of a kind gets its event: inbox %s",
    async (inbox) => {
      const { receiver, entries } = await opened({
        inbox: inbox === "a file" ? inboxFile() : inbox,
      });
      const seen: unknown[] = [];
      receiver.on("payment.received", ({ kind }) => void seen.push(kind), { name: "first" });
      receiver.on("payment.received", async ({ kind }) => void seen.push(kind), { name: "second" });
      receiver.on("payment.*", ({ kind }) => void seen.push(kind), { name: "third" });
      for (let round = 0; round < 10; round++) await receiver.accept(deliveryOf(freshEnvelope()));
      await until(async () => {
        expect(new Set((await entries()).map(({ state }) => state))).toEqual(new Set(["handled"]));
      });
      expect(seen).toHaveLength(30);
      expect(new Set(seen)).toEqual(new Set(["payment.received"]));
    },
  );

  it("an async schema is waited for", async () => {
    const { receiver, entry } = await opened({ schemas: { "payment.received": asyncSchema } });
    const delivery = deliveryOf(freshEnvelope({ data: { paid: false } }));
    expect(await receiver.accept(delivery)).toMatchObject({
      type: "accepted",
      reason: "invalid_data",
    });
    expect(await receiver.recheck((await entry()).seq)).toHaveLength(1);
  });

  it("an async schema is waited for when an entry is read again", async () => {
    const retry = { attempts: 3, delay: 0 };
    const { receiver, untilState } = await opened({
      schemas: { "payment.received": asyncSchema },
      retry,
    });
    const seen: unknown[] = [];
    receiver.on("payment.received", ({ data }, { attempt }) => {
      if (attempt === 1) throw new Error("the first time");
      seen.push(data);
    });
    await receiver.accept(deliveryOf(freshEnvelope({ data: { paid: true } })));
    await untilState("handled");
    expect(seen).toEqual([{ paid: true }]);
  });

  it("a handler with tx runs once, and its result is stored", async () => {
    if (when === "before") replacePromise();
    const receiver = await createTestReceiver({
      transaction: (work) => work("a transaction" as never),
    });
    if (when === "after") replacePromise();
    const seen: unknown[] = [];
    receiver.on("payment.received", ({ kind }, { tx }) => void seen.push([kind, tx]), { tx: true });
    receiver.on("payment.received", ({ kind }) => void seen.push([kind]), { name: "without" });
    expect(await receiver.deliver("payment.received", { timeout: 2000 })).toMatchObject({
      state: "handled",
    });
    await receiver.close();
    expect(seen).toEqual([["payment.received", "a transaction"], ["payment.received"]]);
  });
});
