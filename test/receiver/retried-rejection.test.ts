import { describe, expect, it, vi } from "vitest";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { openReceiver } from "./open.ts";
import { at, DAY, deliveryOf, envelope, until } from "./sample.ts";

const OLD = envelope({ id: "evt_own", timestamp: at(-8 * DAY) });

/** Accepts a delivery that is rejected, and retries it. */
async function retried(content: object | string, options: Partial<ReceiverOptions> = {}) {
  const inbox = memoryInbox();
  const opened = await openReceiver({ inbox: handleOf(inbox), source: "agency", ...options });
  const { receiver, clock } = opened;
  const run = vi.fn();
  receiver.on("*", () => {});
  expect(await receiver.accept(deliveryOf(content))).toMatchObject({ type: "rejected" });
  const append = vi.spyOn(inbox, "append");
  expect(await inbox.retry({ states: ["dead"] }, clock.now)).toEqual({ due: 0, ended: 1 });
  receiver.replaceHandlers((registry) => registry.on("*", () => run())); // looks for what is due
  return { ...opened, append, run };
}

describe("a rejected delivery that is retried", () => {
  it("runs its event once, under its own key and in its order, even if that may have been pruned", async () => {
    const options = { orderBy: ({ data }: { data: object }) => String(Object(data).id) };
    const { receiver, entries, append, run } = await retried(OLD, options);
    const key = { source: "agency", eventId: "evt_own" };
    await until(async () =>
      expect(await entries()).toMatchObject([
        { state: "handled", reason: null },
        { state: "handled", key, orderKey: "payment_1" },
      ]),
    );
    expect(append).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ afterPruning: true }));
    const again = { type: "accepted", eventId: "evt_own", duplicate: true };
    expect(await receiver.accept(deliveryOf(OLD))).toMatchObject(again);
    expect(run).toHaveBeenCalledOnce();
  });

  it("is a dead letter again if it still cannot be read", async () => {
    const { entry, seen } = await retried("{");
    await until(() =>
      expect(seen).toMatchObject([{ type: "attempt", state: "dead", reason: "invalid_json" }]),
    );
    expect(await entry()).toMatchObject({ state: "dead", reason: "invalid_json" });
  });

  it("is tried again if the user's own order fails", async () => {
    const orderBy = vi.fn(() => "key");
    const failOnce = () => {
      throw new Error("no order");
    };
    orderBy.mockReturnValueOnce("key").mockImplementationOnce(failOnce);
    const retry = { attempts: 10, delay: 0, maxDelay: 0 };
    const { entries, lines } = await retried(OLD, { orderBy, retry });
    await until(() => expect(lines).toMatchObject([{ level: "error", fields: { seq: 1 } }]));
    await until(async () =>
      expect(await entries()).toMatchObject([{ state: "handled" }, { orderKey: "key" }]),
    );
  });
});
