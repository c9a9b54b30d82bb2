import { describe, expect, it, vi } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { openReceiver } from "./open.ts";
import { deliveryOf, freshEnvelope, NOW, until } from "./sample.ts";

/** Longer than some polls. */
const A_WHILE = 50;

describe("a receiver with the role receive", () => {
  it("keeps deliveries and claims nothing, with handlers or without", async () => {
    const inbox = memoryInbox();
    const claim = vi.spyOn(inbox, "claim");
    const { receiver, entries } = await openReceiver({ inbox: handleOf(inbox), role: "receive" });
    await receiver.accept(deliveryOf(freshEnvelope()));
    const handler = vi.fn();
    receiver.on("*", handler);
    await receiver.accept(deliveryOf(freshEnvelope()));
    await new Promise((resolve) => setTimeout(resolve, A_WHILE));
    expect(await entries()).toMatchObject([
      { state: "waiting", attempts: 0 },
      { state: "waiting", attempts: 0 },
    ]);
    expect(claim).not.toHaveBeenCalled();
    expect(handler).not.toHaveBeenCalled();
  });

  it("runs an entry that it is asked to run", async () => {
    const { receiver, entry } = await openReceiver({ role: "receive" });
    receiver.on("*", () => {});
    await receiver.accept(deliveryOf(freshEnvelope()));
    expect(await receiver.runNow(1)).toMatchObject({ state: "handled" });
    expect(await entry()).toMatchObject({ state: "handled" });
  });

  it("lets an entry without a handler wait, even if it is asked to run it", async () => {
    const { receiver, entry, seen } = await openReceiver({
      role: "receive",
      unhandledAfter: 60_000,
    });
    await receiver.accept(deliveryOf(freshEnvelope()));
    expect(await receiver.runNow(1)).toMatchObject({ state: "waiting", reason: "awaits_handler" });
    expect(await entry()).toMatchObject({ state: "waiting", attempts: 0 });
    expect(seen.filter(({ type }) => type === "attempt")).toEqual([]);
  });
});

it("a receiver with the role run accepts deliveries that it is given, and runs them", async () => {
  const register = vi.fn(async () => async () => {});
  const inbox = Object.assign(memoryInbox(), { register });
  const { receiver, untilState } = await openReceiver({ inbox: handleOf(inbox), role: "run" });
  const handler = vi.fn();
  receiver.on("*", handler);
  expect(await receiver.accept(deliveryOf(freshEnvelope()))).toMatchObject({ type: "accepted" });
  await untilState("handled");
  expect(handler).toHaveBeenCalledOnce();
  await until(() =>
    expect(register).toHaveBeenLastCalledWith(expect.objectContaining({ role: "run" }), NOW),
  );
});
