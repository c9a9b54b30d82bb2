import { expect, it, onTestFinished, vi } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import type { SenderNote } from "../../src/inbox/senders.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { NOTE_EVERY } from "../../src/receiver/sender-watch.ts";
import { openReceiver } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  deliveryOf,
  envelope,
  inboxFile,
  keptLog,
  MINUTE,
  NOW,
  signedHeaders,
  wrapInbox,
} from "./sample.ts";

const HOUR = 60 * MINUTE;

/** A receiver whose timers fire on request, and what it notes. */
async function open(options: Parameters<typeof openReceiver>[0] = {}) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const notes: SenderNote[] = [];
  const store = memoryInbox();
  const inbox = wrapInbox(store, {
    recordSender: async (note) => {
      notes.push(structuredClone(note));
      return Object(store).recordSender(note);
    },
  });
  const { log, lines, outcomes: logged } = keptLog();
  const opened = { ...(await openReceiver({ inbox: handleOf(inbox), log, ...options })), lines };
  const { receiver, clock } = opened;
  /** Sends an event, with a wrong signature if a secret is named. */
  const send = (number: number, secret?: string) => {
    const timestamp = at(clock.now - NOW);
    const body = bytes(envelope({ timestamp, data: { number } }));
    return receiver.accept(deliveryOf(body.toString(), signedHeaders(body, secret), clock.now));
  };
  const noted = async () => {
    await vi.advanceTimersByTimeAsync(NOTE_EVERY);
    return (await inboxOf(receiver).senders?.())?.[0];
  };
  const warnings = () => logged.filter(({ message }) => message.includes("matches no secret"));
  return { ...opened, send, notes, noted, warnings };
}

it("deliveries cost no write: what was seen of signatures is noted every 10 seconds, and nothing if nothing came", async () => {
  const { send, notes, noted } = await open();
  for (let number = 0; number < 50; number++) await send(number);
  for (let number = 0; number < 30; number++) await send(number % 5, "another-secret-0123456789");
  expect(notes).toEqual([]);
  expect(await noted()).toMatchObject({
    authenticAt: NOW,
    mismatches: { count: 30, bodies: 3, from: NOW, to: NOW },
    days: [{ events: 50 }],
  });
  await noted();
  await noted();
  expect(notes).toHaveLength(1);
  expect(JSON.stringify(notes)).not.toMatch(/number|webhook|sha256|payment/);
});

it("signatures that match no secret are one warning a minute, with a count, and an error once the secret must have changed", async () => {
  const { clock, send, warnings, noted } = await open();
  for (let hour = 0; hour < 30; hour++) {
    await send(hour);
    clock.now += HOUR;
  }
  await noted();
  for (let hour = 0; hour < 4; hour++) {
    for (let time = 0; time < 3; time++) {
      await send(100 + hour, "another-secret-0123456789");
      clock.now += 1000;
    }
    await noted();
    clock.now += HOUR;
  }
  expect(warnings().map(({ level }) => level)).toEqual(["warn", "warn", "error", "error"]);
  expect(warnings().map(({ fields }) => fields)).toMatchObject([
    { source: "service", refused: 1, unlogged: undefined },
    { refused: 4, unlogged: 2 },
    { refused: 7, unlogged: 2 },
    { refused: 10, unlogged: 2 },
  ]);
  expect(warnings()[2]?.message).toMatch(
    /: 7 refused since .*\d\d:\d\d, none accepted since .*\d\d:\d\d: was the secret changed\?$/,
  );
});

it("an event that comes again is no further event, and an authentic one ends what mismatched before", async () => {
  const { receiver, send, noted } = await open();
  await send(1);
  await send(1);
  await send(2, "another-secret-0123456789");
  await send(3);
  await receiver.accept(deliveryOf("{}", {}, NOW));
  expect(await noted()).toMatchObject({ days: [{ events: 2 }] });
  expect(await noted()).not.toHaveProperty("mismatches");
});

it("a delivery without a signature is no sign of another secret", async () => {
  const { receiver, notes, noted, warnings } = await open();
  await receiver.accept(deliveryOf(envelope(), {}, NOW));
  await noted();
  expect({ notes, warnings: warnings() }).toEqual({ notes: [], warnings: [] });
});

it("a scanner beside an event an hour is a warning a minute, and never an error", async () => {
  const { clock, send, warnings } = await open();
  for (let hour = 0; hour < 40; hour++) {
    await send(hour);
    for (let minute = 1; minute < 60; minute += 7) {
      clock.now += 7 * MINUTE;
      await send(1000 + hour * 60 + minute, "a-stranger-guesses-0123456789");
    }
  }
  expect(new Set(warnings().map(({ level }) => level))).toEqual(new Set(["warn"]));
});

it("what was seen outlives the process, and what is not noted yet is noted when the receiver closes", async () => {
  const inbox = inboxFile();
  const first = await open({ inbox });
  for (let number = 0; number < 3; number++) await first.send(number);
  await first.receiver.close();
  const second = await open({ inbox });
  second.clock.now += HOUR;
  await second.send(9, "another-secret-0123456789");
  await second.receiver.close();
  expect(second.warnings()[0]?.message).toContain("1 refused since");
  expect(second.warnings()[0]?.message).toContain("none accepted since");
  const store = sqliteInbox(inbox);
  await store.open({ access: "read" });
  onTestFinished(() => store.close());
  expect(await store.senders?.()).toMatchObject([
    { source: "service", authenticAt: NOW, mismatches: { count: 1, bodies: 1 } },
  ]);
});

it("an inbox of an older version, which knows nothing of signatures, has its newest entries for that", async () => {
  const store = memoryInbox();
  const first = await open({
    inbox: handleOf(wrapInbox(store, { recordSender: async () => Object({ days: [] }) })),
  });
  for (let number = 0; number < 25; number++) {
    await first.send(number);
    first.clock.now += HOUR;
  }
  await first.receiver.close();
  const { send, noted } = await open({ inbox: handleOf(store) });
  await send(99, "another-secret-0123456789");
  expect(await noted()).toMatchObject({ authenticAt: NOW + 24 * HOUR });
});

it("an inbox that cannot keep it costs no answer and no warning", async () => {
  const failing = wrapInbox(memoryInbox(), {
    recordSender: () => Promise.reject(new Error("no rights")),
    senders: () => Promise.reject(new Error("no rights")),
  });
  const { send, lines, noted } = await open({ inbox: handleOf(failing) });
  expect(await send(1)).toMatchObject({ type: "accepted" });
  await noted().catch(() => {});
  expect(lines.filter(({ level }) => level !== "debug")).toEqual([]);
});

it("an inbox that cannot note signatures costs one quiet line a minute, and no delivery", async () => {
  const { log, lines } = keptLog();
  const recordSender = () => Promise.reject(new Error("disk full"));
  const { send, noted } = await open({
    log,
    inbox: handleOf(wrapInbox(memoryInbox(), { recordSender })),
  });
  for (let number = 0; number < 3; number++) {
    expect(await send(number)).toMatchObject({ type: "accepted" });
    await noted();
  }
  const told = lines.filter(
    ({ message }) => message === "could not record what was seen of signatures",
  );
  expect(told).toMatchObject([
    { level: "debug", fields: { error: expect.stringContaining("disk full") } },
  ]);
});

it("events are counted by days that begin at midnight, with the longest gap between two", async () => {
  const { clock, send, noted } = await open();
  clock.now = Math.ceil(NOW / DAY) * DAY - 10;
  for (const [number, ms] of [0, 2, 7, 1, 3].entries()) {
    clock.now += ms;
    await send(number);
  }
  const day = Math.floor(NOW / DAY);
  const days = [
    { day, events: 3, longestGap: 7 },
    { day: day + 1, events: 2 },
  ];
  expect(await noted()).toMatchObject({ days });
});
