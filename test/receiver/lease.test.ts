import { expect, it, onTestFinished, vi } from "vitest";
import { openReceiver } from "./open.ts";
import { deliveryOf, envelope, inboxFile } from "./sample.ts";

const LEASE = 300;

/**
 * Advances timers and the wall clock, in steps much shorter than a lease, so that the inbox can
 * keep up.
 */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await vi.advanceTimersByTimeAsync(10);
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

it("[case 75] two receivers on one file never run an entry concurrently, even if its handler outlasts the lease", async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const options = { inbox: inboxFile(), lease: LEASE, poll: 50, clock: () => Date.now() };
  const receivers = [await openReceiver(options), await openReceiver(options)];
  let running = 0;
  let most = 0;
  for (const { receiver } of receivers) {
    receiver.on("*", async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5 * LEASE));
      running--;
    });
  }
  const [first] = receivers;
  await first?.receiver.accept(
    deliveryOf(envelope({ timestamp: new Date().toISOString() }), undefined, Date.now()),
  );
  await pass(4 * LEASE);
  expect([running, most]).toEqual([1, 1]);
  await pass(2 * LEASE);
  expect([running, most]).toEqual([0, 1]);
  expect(await first?.entry()).toMatchObject({ state: "handled", attempts: 1 });
});
