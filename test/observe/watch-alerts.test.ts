import { expect, it, onTestFinished } from "vitest";
import { type Drift, HookporterError, type Receiver } from "../../src/entries/index.ts";
import { type Alert, type AlertOptions, watchAlerts } from "../../src/entries/metrics.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { DAY, type SenderRecord } from "../../src/inbox/senders.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { type InboxSize, MIN_FREE_BYTES } from "../../src/inbox/vitals.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openReceiver } from "../receiver/open.ts";
import { freshEnvelope, until, wrapInbox } from "../receiver/sample.ts";
import { postTo } from "./posting.ts";

const GIB = 1024 ** 3;

/** A receiver that is watched, on a disk whose figures tests set. */
async function openWatched(options: Partial<AlertOptions> = {}, inner: Inbox = memoryInbox()) {
  const disk: { size: InboxSize } = { size: { bytes: 1e6, logBytes: 0, freeBytes: 100 * GIB } };
  const opened = await openReceiver({
    inbox: handleOf(wrapInbox(inner, { size: async () => disk.size })),
    role: "receive",
  });
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

it("dead letters above the number are told of once, and once more when someone has looked after them", async () => {
  const { post, alerts, receiver, clock } = await openWatched({ deadLetters: 1 });
  await post("no JSON");
  await looks();
  expect(alerts).toEqual([]);
  await post("no JSON either");
  await post("nor this");
  await until(() => expect(alerts).toHaveLength(1));
  expect(alerts[0]).toMatchObject({ type: "dead_letters", active: true, above: 1 });
  await looks();
  expect(alerts).toHaveLength(1);
  await inboxOf(receiver).drop({ states: ["dead"] }, clock.now);
  await until(() => expect(alerts).toHaveLength(2));
  expect(alerts[1]).toEqual({ type: "dead_letters", active: false, count: 0, above: 1 });
});

it("a receiver whose last commit failed is not ready, with the cause", async () => {
  let broken = false;
  const inner = memoryInbox();
  const append: Inbox["append"] = (entry) => {
    if (broken) throw new HookporterError("disk_full", "the disk is full");
    return inner.append(entry);
  };
  const { post, alerts } = await openWatched({}, wrapInbox(inner, { append }));
  broken = true;
  await post(freshEnvelope());
  await until(() =>
    expect(alerts).toEqual([{ type: "not_ready", active: true, cause: "disk_full" }]),
  );
  broken = false;
  await post(freshEnvelope());
  await until(() => expect(alerts).toHaveLength(2));
  expect(alerts[1]).toEqual({ type: "not_ready", active: false, cause: undefined });
});

it("silence beyond what is normal, and a secret that was changed, are told of with their source until they are over", async () => {
  const hour = 3_600_000;
  let b: Partial<SenderRecord> = {};
  const senders = async () => {
    const heard = { source: "a", authenticAt: clock.now, days };
    return [heard, { source: "b", days: [], ...b }];
  };
  const { alerts, clock } = await openWatched({}, wrapInbox(memoryInbox(), { senders }));
  const days = [{ day: Math.floor(clock.now / DAY), events: 30, longestGap: hour / 2 }];
  b = { authenticAt: clock.now - hour, days };
  await looks();
  expect(alerts).toEqual([]);
  clock.now += hour;
  await until(() => expect(alerts).toHaveLength(1));
  const silence = { type: "nothing_arrives", source: "b", limit: 1.5 * hour };
  expect(alerts).toEqual([{ ...silence, active: true, silence: 2 * hour }]);
  b = { ...b, mismatches: { count: 7, bodies: 3, from: clock.now, to: clock.now } };
  await until(() => expect(alerts).toHaveLength(2));
  expect(alerts[1]).toEqual({ type: "no_authentic", active: true, source: "b", refused: 7 });
  b = { authenticAt: clock.now, days };
  await until(() => expect(alerts).toHaveLength(4));
  expect(alerts.slice(2)).toEqual([
    { ...silence, active: false, silence: 0 },
    { type: "no_authentic", active: false, source: "b", refused: 0 },
  ]);
});

it("a clock that throws ends no process, and alerts go on once it works", async () => {
  let works = false;
  const rejected: unknown[] = [];
  const note = (reason: unknown) => void rejected.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const clock = () => {
    if (works) return Date.now();
    throw new Error("no time");
  };
  const { post, alerts } = await openWatched({ clock });
  await post("no JSON");
  await looks();
  works = true;
  const first = { type: "dead_letters", active: true, count: 1, above: 0 };
  await until(() => expect(alerts).toEqual([first]));
  expect(rejected).toEqual([]);
});

it("events that begin to differ are told of at once", async () => {
  const listeners = new Set<(drift: Drift) => unknown>();
  const { receiver } = await openReceiver();
  const alerts: Alert[] = [];
  const onDrift: Receiver["onDrift"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const watched = { inbox: receiver.inbox, refusing: undefined, onDrift };
  const stop = watchAlerts(watched, { onAlert: (alert) => alerts.push(alert) });
  for (const listener of listeners) listener({ kind: "lead.created" } as Drift);
  expect(alerts).toEqual([{ type: "drift", active: true, differences: 1 }]);
  stop();
  expect(listeners.size).toBe(0);
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
  await inboxOf(receiver).drop({}, clock.now);
  await until(() => expect(alerts).toHaveLength(2));
  expect(alerts[1]).toMatchObject({ type: "oldest_due", active: false, age: 0 });
});

const LOGGED = { bytes: 3e8, logBytes: 1e8 };
const NEEDED = 2e8 + MIN_FREE_BYTES;
it.each([
  [
    "less free than twice the log and 500 MiB",
    { ...LOGGED, freeBytes: NEEDED },
    { ...LOGGED, freeBytes: NEEDED - 1 },
    { cause: "disk", bytes: 3e8, freeBytes: NEEDED - 1 },
  ],
  [
    "90 % of maxInboxSize",
    { bytes: 0.89e9 },
    { bytes: 0.9e9 },
    { cause: "max_inbox_size", bytes: 0.9e9 },
  ],
])("an inbox with %s is nearly full", async (_, enough, tooMuch, told) => {
  const { alerts, disk } = await openWatched({ maxInboxSize: 1e9 });
  disk.size = enough;
  await looks();
  expect(alerts).toEqual([]);
  disk.size = tooMuch;
  await until(() => expect(alerts).toHaveLength(1));
  expect(alerts[0]).toMatchObject({ type: "inbox_nearly_full", active: true, ...told });
  disk.size = enough;
  await until(() => expect(alerts[1]).toMatchObject({ active: false }));
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
  await until(() => expect(told.slice(0, 2)).toEqual(["dead_letters", "oldest_due"]));
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
  expect(watch({ onAlert: () => {}, deadLetters: -1 })).toThrow(refused);
});
