import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigurationError, createReceiver, defineHandlers } from "../../../src/entries/index.ts";
import { createTestReceiver, sampleEvent } from "../../../src/entries/testing.ts";
import { isHandlersModule } from "../../../src/receiver/handlers/define-handlers.ts";
import { keptLog, SECRET } from "../sample.ts";

const nothing = () => {};
const loose = z.looseObject({ amount: z.number() });
const base = { secret: SECRET, inbox: "memory:", log: keptLog().log };

describe("defineHandlers", () => {
  it("brings handlers and schemas into a receiver", async () => {
    const amounts: number[] = [];
    const handlers = defineHandlers({
      schemas: { "payment.received": loose },
      handlers: { "payment.received": ({ data }) => void amounts.push(data.amount) },
    });
    const receiver = await createTestReceiver({ handlers });
    expect(await receiver.deliver("payment.received", { data: { amount: 7 } })).toMatchObject({
      state: "handled",
    });
    expect(await receiver.deliver("payment.received", { data: { amount: "7" } })).toMatchObject({
      state: "dead",
      problems: [{ field: "data.amount", message: "expected number, got string" }],
    });
    expect(amounts).toEqual([7]);
    await receiver.close();
  });

  it("declares other kinds, which are then not unknown and can have schemas", async () => {
    const seen: string[] = [];
    const handlers = defineHandlers({
      otherKinds: ["invoice.sent"],
      schemas: { "invoice.sent": z.looseObject({ total: z.number() }) },
      handlers: (registry) => {
        registry.on("invoice.*", ({ kind }) => void seen.push(kind));
        registry.onUnknown(({ kind }) => void seen.push(`unknown ${kind}`));
      },
    });
    const receiver = await createTestReceiver({ handlers });
    const invoice = (event: string, data: object) => ({
      ...sampleEvent("lead.created"),
      event,
      data: { ...data },
    });
    await receiver.deliver(invoice("invoice.sent", { total: 1 }));
    await receiver.deliver(invoice("invoice.lost", {}));
    const { reason } = await receiver.deliver(invoice("invoice.sent", {}));
    expect(seen).toEqual(["invoice.sent", "invoice.lost", "unknown invoice.lost"]);
    expect(reason).toBe("invalid_data");
    await receiver.close();
  });

  it("leaves out a kind without a handler, such as one that is only handled under a condition", async () => {
    const handlers = defineHandlers({
      handlers: { "payment.received": undefined, "lead.created": nothing },
    });
    const receiver = await createTestReceiver({ handlers });
    expect(await receiver.deliver("payment.received")).toMatchObject({ state: "received" });
    expect(await receiver.deliver("lead.created")).toMatchObject({ state: "handled" });
    await receiver.close();
  });

  it("is recognised if another copy of the package made it", () => {
    const copy = {
      [Symbol.for("hookporter.handlers")]: 1,
      otherKinds: [],
      schemas: {},
      handlers: {},
    };
    expect(isHandlersModule(copy)).toBe(true);
    expect(isHandlersModule(defineHandlers({ handlers: {} }))).toBe(true);
    expect([{}, null, nothing, []].map(isHandlersModule)).toEqual([false, false, false, false]);
  });

  it.each<[object | undefined, string]>([
    [undefined, "the definition of handlers"],
    [{}, "handlers"],
    [{ handlers: {}, schemas: { "payment.recieved": loose } }, "did you mean payment.received?"],
    [{ handlers: {}, schemas: { "invoice.sent": loose } }, 'otherKinds: ["invoice.sent"]'],
    [{ handlers: { "payment.recieved": nothing } }, "did you mean payment.received?"],
    [{ handlers: { "payment.received": "pay" } }, "the handler for payment.received"],
    [{ handlers: {}, schemas: { "payment.received": {} } }, "Standard Schema"],
    [{ handlers: {}, otherKinds: "invoice.sent" }, "a list of kinds"],
    [{ handlers: {}, otherKinds: ["lead.created"] }, "leave out lead.created"],
    [{ handlers: {}, otherKinds: ["invoice sent"] }, "otherKinds"],
    [{ handlers: {}, otherKinds: ["invoice.*"] }, "otherKinds"],
    [{ handlers: {}, schema: {} }, "did you mean schemas?"],
  ])("refuses %o, and says %s", (definition, message) => {
    const define = () => defineHandlers(definition as never);
    expect(define).toThrow(ConfigurationError);
    expect(define).toThrow(message);
  });
});

describe("the option handlers", () => {
  it("takes an object from kind to handler, and on adds more", async () => {
    const seen: string[] = [];
    const receiver = await createTestReceiver({
      handlers: { "lead.created": () => void seen.push("object") },
    });
    receiver.on(["lead.created", "payment.*"], ({ kind }) => void seen.push(kind));
    const { attempts } = await receiver.deliver("lead.created");
    await receiver.deliver("payment.overdue");
    expect(attempts.map(({ handler }) => handler)).toEqual([
      "lead.created",
      "lead.created,payment.*",
    ]);
    expect(seen).toEqual(["object", "lead.created", "payment.overdue"]);
    await receiver.close();
  });

  it("refuses a module and the option schemas with different schemas for one kind", () => {
    const handlers = defineHandlers({ schemas: { "lead.created": loose }, handlers: {} });
    const same = () => createReceiver({ ...base, schemas: { "lead.created": loose }, handlers });
    const other = () =>
      createReceiver({ ...base, schemas: { "lead.created": z.object({}) }, handlers } as never);
    expect(same).not.toThrow();
    expect(other).toThrow("expected one schema for lead.created, got two different ones");
  });
});

describe("replaceHandlers", () => {
  it("swaps handlers and schemas of a module together, and keeps both if the new one fails", async () => {
    const seen: string[] = [];
    const strict = defineHandlers({
      schemas: { "payment.received": loose },
      handlers: { "payment.received": () => void seen.push("strict") },
    });
    const receiver = await createTestReceiver({ handlers: strict });
    const deliver = () => receiver.deliver("payment.received", { data: { amount: "7" } });
    expect((await deliver()).state).toBe("dead");
    expect(await receiver.recheck(1)).toHaveLength(1);
    const text = z.looseObject({ amount: z.string() });
    receiver.replaceHandlers(
      defineHandlers({
        schemas: { "payment.received": text },
        handlers: { "payment.received": () => void seen.push("text") },
      }),
    );
    expect((await deliver()).state).toBe("handled");
    expect(await receiver.recheck(1)).toEqual([]);
    receiver.replaceHandlers(strict);
    const failing = () => {
      throw new Error("no");
    };
    expect(() => receiver.replaceHandlers(failing)).toThrow("no");
    expect((await deliver()).state).toBe("dead");
    expect(seen).toEqual(["text"]);
    await receiver.close();
  });
});
