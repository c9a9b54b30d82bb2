import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createReceiver,
  defineHandlers,
  type PostgresTransaction,
} from "../../../src/entries/index.ts";
import { createTestReceiver } from "../../../src/entries/testing.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { keptLog, SECRET } from "../sample.ts";

const base = { secret: SECRET, log: keptLog().log };
const invalid = expect.objectContaining({ code: "option_invalid" });
const URL = "postgres://app@localhost/app";

describe("a handler with tx", () => {
  it.each(["memory:", "never-opened.db"])(
    "is refused on the inbox %s, with the handler's kind and the fix",
    (inbox) => {
      const receiver = createReceiver({ ...base, inbox });
      const on = () => receiver.on("payment.received", () => {}, { tx: true });
      expect(on).toThrow(invalid);
      expect(on).toThrow(/payment\.received.*postgres:\/\//);
      expect(() => receiver.onUnknown(() => {}, { tx: true })).toThrow(invalid);
      const handlers = { "lead.created": { transaction: () => {} } };
      expect(() => createReceiver({ ...base, inbox, handlers })).toThrow(/lead\.created/);
      expect(() => receiver.replaceHandlers(defineHandlers({ handlers }))).toThrow(/lead\.created/);
    },
  );

  it("is refused with fewer than 4 connections, unless another process runs it", () => {
    const on = (connections: number, role: "both" | "receive") => () =>
      createReceiver({ ...base, role, inbox: handleOf(postgresStore(URL, { connections })) }).on(
        "*",
        () => {},
        {
          tx: true,
        },
      );
    expect(on(3, "both")).toThrow(/connections/);
    expect(on(4, "both")).not.toThrow();
    expect(on(3, "receive")).not.toThrow();
  });

  it("has no target", () => {
    const receiver = createReceiver({ ...base, inbox: URL });
    expect(() => receiver.on("*", () => {}, { tx: true, target: { name: "books" } })).toThrow(
      /two handlers/,
    );
    expect(() => receiver.on("*", () => {}, { tx: "yes" as never })).toThrow(invalid);
  });

  it("has tx in its context, and only with the option", () => {
    const receiver = createReceiver({ ...base, inbox: URL });
    receiver.on(
      "payment.received",
      (event, { tx, attempt }) => {
        expectTypeOf(event.kind).toEqualTypeOf<"payment.received">();
        expectTypeOf(tx).toEqualTypeOf<PostgresTransaction>();
        expectTypeOf(attempt).toEqualTypeOf<number>();
      },
      { tx: true, name: "with" },
    );
    receiver.on("*", (_, context) => expectTypeOf(context).not.toHaveProperty("tx"), {
      name: "without",
    });
    receiver.onUnknown((_, { tx }) => expectTypeOf(tx).toEqualTypeOf<PostgresTransaction>(), {
      tx: true,
    });
    const { handlers } = defineHandlers({
      handlers: {
        "payment.received": {
          attempts: 2,
          transaction: (event, { tx }) => {
            expectTypeOf(event.kind).toEqualTypeOf<"payment.received">();
            expectTypeOf(tx).toEqualTypeOf<PostgresTransaction>();
          },
        },
        "lead.created": {
          name: "leads",
          handler: (_, context) => expectTypeOf(context).not.toHaveProperty("tx"),
        },
        "*": (_, context) => expectTypeOf(context).not.toHaveProperty("tx"),
      },
    });
    expect(Object.keys(handlers)).toHaveLength(3);
  });

  it("is checked in an object of handlers", () => {
    const define = (given: object) => () =>
      defineHandlers({ handlers: { "lead.created": given } as never });
    expect(define({ tx: true })).toThrow(/the handler for lead\.created/);
    expect(define({ handler: () => {}, attempt: 3 })).toThrow(/attempt/);
    expect(define({ handler: () => {}, transaction: () => {} })).toThrow(/transaction/);
  });
});

describe("a receiver for tests", () => {
  it("takes a made-up transaction, and fails the handler if its commit fails", async () => {
    const asked: string[] = [];
    const tx = { query: async (text: string) => ({ rows: [asked.push(text)], rowCount: 1 }) };
    let commits = 0;
    const receiver = await createTestReceiver({
      transaction: async (run) => {
        await run(tx as never);
        if (++commits === 1) throw new Error("no commit");
      },
    });
    receiver.on("lead.created", (_, context) => context.tx.query("INSERT"), { tx: true });
    const { state, attempts } = await receiver.deliver("lead.created");
    expect(state).toBe("handled");
    expect(attempts).toMatchObject([{ outcome: "error", error: "no commit" }, { outcome: "ok" }]);
    expect(asked).toEqual(["INSERT", "INSERT"]);
    await receiver.close();
  });
});
