import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createReceiver, sign } from "../../src/entries/index.ts";
import { SECRET } from "./sample.ts";

const requests = new AsyncLocalStorage<string>();

function delivery(number: number) {
  const event = { id: `evt_${number}`, event: "lead.created", timestamp: new Date().toISOString() };
  const webhook = { id: "wh_1", url: "https://a.example/webhooks" };
  const body = Buffer.from(JSON.stringify({ ...event, data: { id: `lead_${number}` }, webhook }));
  const headers = { "content-type": "application/json", "x-service-signature": sign(body, SECRET) };
  return { method: "POST", target: "/webhooks", headers, body, receivedAt: Date.now() };
}

it.each([1, 3, 40])(
  "a handler sees the store of no request, with %i deliveries at a time",
  async (atATime) => {
    const seen: (string | undefined)[] = [];
    // The first request may be what creates the receiver, as in serverless functions.
    const receiver = await requests.run("the first", async () => {
      const made = createReceiver({ secret: SECRET, inbox: "memory:" });
      made.on("*", async () => {
        seen.push(requests.getStore());
        await sleep(1);
        seen.push(requests.getStore());
      });
      made.onDead(() => seen.push(requests.getStore()));
      await made.start();
      return made;
    });
    onTestFinished(() => receiver.close());
    for (let number = 0; number < 20; number++) {
      await Promise.all(
        Array.from({ length: atATime }, (_, index) =>
          requests.run(`request ${number}`, () =>
            receiver.accept(delivery(number * atATime + index)),
          ),
        ),
      );
      await sleep(atATime === 1 ? 3 : 0);
    }
    await expect.poll(() => seen.length).toBe(2 * 20 * atATime);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  },
);

it("`runNow` and `drain` run handlers outside the caller's store too", async () => {
  const seen: (string | undefined)[] = [];
  const receiver = createReceiver({ secret: SECRET, inbox: "memory:", role: "receive" });
  receiver.on("*", () => void seen.push(requests.getStore()));
  await receiver.start();
  onTestFinished(() => receiver.close());
  for (const number of [1, 2]) await receiver.accept(delivery(number));
  await requests.run("a caller", async () => {
    await receiver.runNow(1);
    await receiver.drain({ budget: 60_000 });
  });
  expect(seen).toEqual([undefined, undefined]);
});
