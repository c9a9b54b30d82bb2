import { expect, it, onTestFinished } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import type { InboxSize } from "../../src/inbox/vitals.ts";
import type { Alert } from "../../src/observe/alert.ts";
import type { AlertOptions } from "../../src/observe/alert-options.ts";
import { watchAlerts } from "../../src/observe/watch-alerts.ts";
import { openReceiver } from "../receiver/open.ts";
import { freshEnvelope, until, wrapInbox } from "../receiver/sample.ts";
import { postTo } from "./posting.ts";

const GIB = 1024 ** 3;

/** A receiver that is watched, on a disk whose figures tests set. */
async function openWatched(options: Partial<AlertOptions> = {}) {
  const disk: { size: InboxSize } = { size: { bytes: 1e6, logBytes: 0, freeBytes: 100 * GIB } };
  const vitals = { size: async () => disk.size, onCommit: () => () => {} };
  const opened = await openReceiver({ inbox: wrapInbox(memoryInbox(), { vitals }), role: "receive" });
  const alerts: Alert[] = [];
  const stop = watchAlerts(opened.receiver, {
    onAlert: (alert) => alerts.push(alert),
    every: 5,
    clock: () => opened.clock.now,
    ...options,
  });
  onTestFinished(stop);
  return { ...opened, disk, alerts, stop, post: postTo(opened.receiver) };
}

/** Long enough for several looks. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 60));

it("dead letters above the number are told of once, and once more when the window is over", async () => {
  const { post, alerts } = await openWatched({ deadLetters: { above: 1, within: 1000 } });
  await post("no JSON");
  await looks();
  expect(alerts).toEqual([]);
  await post("no JSON either");
  await post("nor this");
  expect(alerts).toEqual([{ type: "dead_letters", active: true, count: 2, above: 1, within: 1000 }]);
  await until(() => expect(alerts).toHaveLength(2));
  expect(alerts[1]).toMatchObject({ type: "dead_letters", active: false });
});

it("the first dead letter is told of by default", async () => {
  const { post, alerts } = await openWatched();
  await post("no JSON");
  expect(alerts).toMatchObject([{ type: "dead_letters", active: true, count: 1 }]);
});

it("an entry that is due for too long is told of once, and when it is gone", async () => {
  const { receiver, post, alerts, clock } = await openWatched({ oldestDue: 60_000 });
  await post(freshEnvelope());
  await looks();
  expect(alerts).toEqual([]);
  clock.now += 61_000;
  await until(() => expect(alerts).toHaveLength(1));
  await looks();
  expect(alerts).toEqual([{ type: "oldest_due", active: true, age: 61_000, limit: 60_000 }]);
  await receiver.inbox.drop({}, clock.now);
  await until(() => expect(alerts).toHaveLength(2));
  expect(alerts[1]).toMatchObject({ type: "oldest_due", active: false, age: 0 });
});

it("a disk with less free than twice the log and 500 MB is nearly full", async () => {
  const { alerts, disk } = await openWatched();
  disk.size = { bytes: 3e8, logBytes: 1e8, freeBytes: 7e8 };
  await looks();
  expect(alerts).toEqual([]);
  disk.size = { bytes: 3e8, logBytes: 1e8, freeBytes: 6.99e8 };
  await until(() => expect(alerts).toHaveLength(1));
  expect(alerts[0]).toEqual({
    ...{ type: "inbox_nearly_full", active: true, cause: "disk" },
    ...{ bytes: 3e8, freeBytes: 6.99e8 },
  });
  disk.size = { bytes: 3e8, logBytes: 1e8, freeBytes: 8e8 };
  await until(() => expect(alerts[1]).toMatchObject({ active: false }));
});

it("an inbox with 90 % of maxInboxSize is nearly full", async () => {
  const { alerts, disk } = await openWatched({ maxInboxSize: 1e9 });
  disk.size = { bytes: 0.89e9 };
  await looks();
  expect(alerts).toEqual([]);
  disk.size = { bytes: 0.9e9 };
  await until(() => expect(alerts).toHaveLength(1));
  expect(alerts[0]).toMatchObject({ type: "inbox_nearly_full", cause: "max_inbox_size", bytes: 0.9e9 });
});

it("a listener that throws or rejects stops nothing", async () => {
  const told: string[] = [];
  const { post, clock } = await openWatched({
    onAlert: ({ type }) => {
      told.push(type);
      if (type === "dead_letters") throw new Error("mine");
      return Promise.reject(new Error("mine too"));
    },
  });
  await post("no JSON");
  await post(freshEnvelope());
  clock.now += 600_000;
  await until(() => expect(told).toEqual(["dead_letters", "oldest_due"]));
});

it("nothing is told after it was stopped, or while the receiver is closed", async () => {
  const { receiver, post, alerts, stop, disk } = await openWatched();
  await receiver.close();
  disk.size = { bytes: 1, freeBytes: 0 };
  await looks();
  stop();
  await post("no JSON");
  expect(alerts).toEqual([]);
});

it("options that cannot work are refused", async () => {
  const { receiver } = await openReceiver();
  const refused = expect.objectContaining({ code: "option_invalid" });
  const watch = (options: object) => () => watchAlerts(receiver, options as AlertOptions);
  expect(watch({})).toThrow(refused);
  expect(watch({ onAlert: () => {}, oldestDue: 0 })).toThrow(refused);
  expect(watch({ onAlert: () => {}, deadLetters: { over: 3 } })).toThrow(refused);
});
