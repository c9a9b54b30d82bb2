import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, HookporterError } from "../../src/entries/index.ts";
import { StoreHealth } from "../../src/receiver/store-health.ts";
import { smallDisk } from "../small-disk.ts";
import { deliveryOf, freshEnvelope, keptLog, NOW, SECRET } from "./sample.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const FULL = new HookporterError("disk_full", "full");

it("has the code of the last failure, until something is stored", () => {
  const store = new StoreHealth(keptLog().log);
  expect(store.failure).toBeUndefined();
  store.failed(FULL);
  expect(store.failure).toBe("disk_full");
  store.failed(new Error("no code"));
  expect(store.failure).toBe("inbox_unavailable");
  store.recovered();
  expect(store.failure).toBeUndefined();
});

it("logs equal failures once a minute, with how many were left out", () => {
  const { log, lines } = keptLog();
  const store = new StoreHealth(log);
  for (let time = 0; time < 50; time++) store.failed(FULL);
  expect(lines).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  store.failed(FULL);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ fields: { unlogged: 49, error: "full" } });
});

it("logs no more recoveries than failures", () => {
  const { log, lines } = keptLog();
  const store = new StoreHealth(log);
  const flap = () => {
    store.failed(FULL);
    store.recovered();
  };
  for (let time = 0; time < 20; time++) flap();
  expect(lines.map(({ level }) => level)).toEqual(["error", "warn"]);
  vi.advanceTimersByTime(60_000);
  flap();
  expect(lines.map(({ level }) => level)).toEqual(["error", "warn", "error", "warn"]);
});

it("tries a write every five seconds while commits fail, and none after it has ended", async () => {
  const store = new StoreHealth(keptLog().log);
  const write = vi.fn(() => Promise.reject(FULL));
  const end = store.watch(write);
  store.failed(FULL);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(write).toHaveBeenCalledTimes(3);
  write.mockImplementation(() => Promise.resolve() as never);
  await vi.advanceTimersByTimeAsync(5000);
  expect(store.failure).toBeUndefined();
  store.failed(FULL);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(write).toHaveBeenCalledTimes(4);
});

it("has the code of the latest write that failed, and tries none that nobody gave it", async () => {
  const store = new StoreHealth(keptLog().log);
  store.failed(FULL);
  expect(vi.getTimerCount()).toBe(0);
  const end = store.watch(() => Promise.reject(new Error("no code")));
  store.failed(FULL);
  await vi.advanceTimersByTimeAsync(5000);
  expect([store.failure, vi.getTimerCount()]).toEqual(["inbox_unavailable", 1]);
  end();
});

it("on a full disk the receiver is not ready, says why, and is ready again by itself once there is room", async (context) => {
  const folder = smallDisk(context, 3);
  const { log } = keptLog();
  const receiver = createReceiver({
    secret: SECRET,
    inbox: join(folder, "inbox.db"),
    log,
    clock: () => NOW,
  });
  await receiver.start();
  onTestFinished(() => receiver.close());
  expect([receiver.ready, receiver.refusing]).toEqual([true, undefined]);
  const ballast = join(folder, "ballast");
  expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow();
  const send = () => receiver.accept(deliveryOf(freshEnvelope({ filler: "x".repeat(60_000) })));
  const outcomes = [];
  for (let time = 0; time < 20; time++) outcomes.push((await send()).type);
  expect(outcomes.at(-1)).toBe("unavailable");
  expect([receiver.ready, receiver.refusing]).toEqual([false, "disk_full"]);
  rmSync(ballast);
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect([receiver.ready, receiver.refusing]).toEqual([true, undefined]));
  expect((await send()).type).toBe("accepted");
});
