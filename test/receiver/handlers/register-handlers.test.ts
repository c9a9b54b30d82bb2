import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineHandlers } from "../../../src/entries/index.ts";
import { createTestReceiver, sampleEvent } from "../../../src/entries/testing.ts";
import type { HandlersOption } from "../../../src/receiver/handlers/define-handlers.ts";
import { registerHandlers } from "../../../src/receiver/handlers/register-handlers.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";

const nothing = () => {};
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: "option_invalid", message: expect.stringMatching(message) });

describe("a function in place of handlers", () => {
  it.each<[string, HandlersOption]>([
    [
      "handlers by kind",
      () => ({ "payment.received": nothing, "property.*": { handler: nothing } }),
    ],
    [
      "a module without schemas",
      () => defineHandlers({ handlers: { "payment.received": nothing } }),
    ],
    [
      "a function that returns handlers",
      () => defineHandlers({ handlers: () => ({ "*": nothing }) }),
    ],
  ])("may return %s", async (_, handlers) => {
    const receiver = await createTestReceiver({ handlers });
    expect(await receiver.deliver(sampleEvent("payment.received"))).toMatchObject({
      state: "handled",
    });
    await receiver.close();
  });

  it("gets typed events in the handlers that it returns", () => {
    const module = defineHandlers({
      schemas: { "payment.received": z.looseObject({ amount: z.number() }) },
      handlers: () => ({ "payment.received": ({ data }) => void data.amount.toFixed(2) }),
    });
    expect(registerHandlers(module.handlers, new Router())).toMatchObject({
      handlers: 1,
      listeners: 0,
    });
  });

  it.each<[string, HandlersOption]>([
    ["an unsubscribe function", (registry) => registry.on("*", nothing)],
    ["something else, of one that registers", (registry) => ({ db: registry.on("*", nothing) })],
    ["a promise, of one that registers first", async (registry) => void registry.on("*", nothing)],
  ])("may return %s, as before", (_, handlers) => {
    expect(registerHandlers(handlers, new Router())).toMatchObject({ handlers: 1, listeners: 0 });
  });

  it("is refused if it is async and registers too late", () => {
    const late: HandlersOption = async (registry) => {
      await null;
      registry.on("*", nothing);
    };
    expect(() => registerHandlers(late, new Router())).toThrow(invalid(/got an async function/));
  });

  it("is refused if it returns a module with schemas or kinds, which come too late", () => {
    const handlers = { "*": nothing };
    for (const module of [
      defineHandlers({ schemas: { "lead.created": z.looseObject({}) }, handlers }),
      defineHandlers({ otherKinds: ["invoice.sent"], handlers }),
    ])
      expect(() => registerHandlers(() => module, new Router())).toThrow(
        invalid(/with schemas or kinds/),
      );
  });

  it("is refused if it returns something that is no handlers", () => {
    expect(() => registerHandlers(() => ({ db: nothing }), new Router())).toThrow(
      invalid(/got "db"/),
    );
  });
});

it("handlers and listeners of dead letters are counted", () => {
  const handlers: HandlersOption = (registry) => {
    registry.on("lead.*", nothing);
    registry.onUnknown(nothing);
    registry.onDead(nothing);
  };
  expect(registerHandlers(handlers, new Router())).toMatchObject({ handlers: 2, listeners: 1 });
  expect(registerHandlers({}, new Router())).toMatchObject({ handlers: 0, listeners: 0 });
});
