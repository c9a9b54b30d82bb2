import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openReceiver } from "./open.ts";
import { deliveryOf, freshEnvelope } from "./sample.ts";

const requests = new AsyncLocalStorage<string>();

const delivery = () => deliveryOf(freshEnvelope());

it.each([1, 3, 40])(
  "a handler sees the store of no request, with %i deliveries at a time",
  async (atATime) => {
    const seen: (string | undefined)[] = [];
    // The first request may be what creates the receiver, as in serverless functions.
    const { receiver } = await requests.run("the first", async () => {
      const made = await openReceiver();
      made.receiver.on("*", async () => {
        seen.push(requests.getStore());
        await sleep(1);
        seen.push(requests.getStore());
      });
      return made;
    });
    for (let number = 0; number < 20; number++) {
      const accept = () => receiver.accept(delivery());
      await Promise.all(
        Array.from({ length: atATime }, () => requests.run(`request ${number}`, accept)),
      );
      await sleep(atATime === 1 ? 3 : 0);
    }
    await expect.poll(() => seen.length).toBe(2 * 20 * atATime);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  },
);

it("`runNow` and `drain` run handlers outside the caller's store too", async () => {
  const seen: (string | undefined)[] = [];
  const { receiver } = await openReceiver({ role: "receive" });
  receiver.on("*", () => void seen.push(requests.getStore()));
  for (let count = 0; count < 2; count++) await receiver.accept(delivery());
  await requests.run("a caller", async () => {
    await receiver.runNow(1);
    await receiver.drain({ budget: 60_000 });
  });
  expect(seen).toEqual([undefined, undefined]);
});
