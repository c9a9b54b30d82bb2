import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { createReceiver, postgresInbox } from "../../../src/entries/index.ts";
import { SECRET } from "../events.ts";
import { median } from "../numbers.ts";
import { storeBehind } from "../store-behind.ts";
import { entrySource } from "./entries.ts";
import { perSecond } from "./keep.ts";

/**
 * Connections that write at a time, and the milliseconds that a flush takes longer, as on a cloud's
 * disk.
 */
const WRITERS = 16;
const SLOWER_MS = 2;
const HOUR = 3_600_000;

/** How soon another process runs an entry, and what telling it costs. */
export interface WakeUp {
  /** Milliseconds from the end of the commit in one process to the handler in another; median. */
  readonly p50: number;
  /**
   * Entries kept per second by 16 connections whose flushes take 2 ms longer: with notifications ×
   * without.
   */
  readonly notify: number;
  /** The same if each of the 16 is a process, with notifications of its own. */
  readonly notifyOfEach: number;
}

/** Measures waking up. */
export async function measureWakeUp(
  url: string,
  { times, rounds, seconds }: { times: number; rounds: number; seconds: number },
): Promise<WakeUp> {
  const p50 = await wakeUpTime(url, times);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  // With no siblings required, the process that flushes for a group sleeps this long before it
  // does.
  const slow = async (ms: number) => {
    await admin.query(`ALTER SYSTEM SET commit_siblings = ${ms > 0 ? 0 : 5}`);
    await admin.query(`ALTER SYSTEM SET commit_delay = ${ms * 1000}`);
    await admin.query("SELECT pg_reload_conf()");
    await wait(500);
  };
  await slow(SLOWER_MS);
  const schema = "notify";
  const open = async () => {
    const inbox = storeBehind(postgresInbox(url, { schema, connections: 2 }));
    await inbox.open();
    return inbox;
  };
  const inboxes = [await open()];
  try {
    while (inboxes.length < WRITERS) inboxes.push(await open());
    const next = entrySource();
    // An entry that is kept leased wakes nobody up.
    const leased = () => ({ ...next(), lease: { token: randomUUID(), until: Date.now() + HOUR } });
    const keep = async (notifying: number): Promise<number> => {
      // Each inbox keeps one entry at a time, so that each commit has one.
      const free = inboxes.map(
        (inbox, at) => () => inbox.append(at < notifying ? next() : leased()),
      );
      const work = async () => {
        const writer = free.shift();
        await writer?.();
        if (writer !== undefined) free.push(writer);
      };
      return perSecond(work, seconds, WRITERS);
    };
    const ratios = { one: [] as number[], each: [] as number[] };
    await keep(0);
    for (let round = 0; round < rounds; round++) {
      const none = await keep(0);
      ratios.one.push((await keep(1)) / none);
      ratios.each.push((await keep(WRITERS)) / none);
    }
    return { p50, notify: median(ratios.one), notifyOfEach: median(ratios.each) };
  } finally {
    await Promise.all(inboxes.map((inbox) => inbox.close()));
    await slow(0);
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  }
}

/** The time from one process's commit to another's handler. */
async function wakeUpTime(url: string, times: number): Promise<number> {
  const schema = "wake_up";
  const teller = storeBehind(postgresInbox(url, { schema }));
  await teller.open();
  let ran = (_: number) => {};
  const runner = createReceiver({
    secret: SECRET,
    inbox: postgresInbox(url, { schema }),
    poll: 60_000,
  });
  runner.on("*", () => ran(performance.now()));
  await runner.start();
  const next = entrySource();
  const waits: number[] = [];
  try {
    for (let time = -10; time < times; time++) {
      await wait(60); // a notification may be held back for 20 ms after another
      const running = new Promise<number>((resolve) => {
        ran = resolve;
      });
      await teller.append(next());
      const kept = performance.now();
      const waited = (await running) - kept;
      if (time >= 0) waits.push(waited);
    }
    return median(waits);
  } finally {
    await runner.close();
    await teller.close();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
}
