import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { long } from "../long.ts";
import { acknowledgedIn, booksLine, drained, longestAllowed, readBooks } from "./books.ts";
import { HeldShell } from "./held-shell.ts";
import { answersIn, logIn, newPlace, type Place } from "./place.ts";
import { needs } from "./programs.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

const SECOND = 1000;
const MEBIBYTE = 1024 * 1024;

/** Milliseconds within which a test's rows must be written. */
const WRITING = long(1, 15) * 60 * SECOND;

beforeEach((context) => needs(context, "the sqlite3 shell"));

it("An open read transaction makes the log grow, causes a warning, and leaves no large log", {
  timeout: long(4, 20) * 60 * SECOND,
}, async () => {
  const logLimit = 4 * MEBIBYTE;
  const rows = long(1000, 40_000);
  const { place, receiver, sender } = await start({ walLimit: logLimit });
  await untilTrue(20 * SECOND, () => answersIn(place).length > 10);
  const reader = await HeldShell.open(place.inbox, "BEGIN", "SELECT count(*) FROM entry");
  const enough = () =>
    acknowledgedIn(answersIn(place)).length >= rows && logSize(place) > 1.5 * logLimit;
  expect(await untilTrue(WRITING, enough)).toBeLessThan(WRITING);
  const warned = await untilTrue(30 * SECOND, () => warningsOf(place).length > 0);
  const allAnswered = await sender.stop();
  await drained(place);
  const largest = logSize(place);
  await reader.close();
  const shrunk = await untilTrue(60 * SECOND, () => logSize(place) <= logLimit);
  const left = logSize(place);
  const exitCode = await receiver.stop();
  const books = readBooks(place);
  const figures = `the log was ${mib(largest)}, ${mib(left)} after ${shrunk} ms, warning after ${warned} ms`;
  process.stdout.write(`strangers, a pinned log: ${booksLine(books)}\n  ${figures}\n`);
  expect(warned).toBeLessThan(30 * SECOND);
  expect(shrunk).toBeLessThan(60 * SECOND);
  // Once each time it grows too large, not on each write.
  expect(warningsOf(place).length).toBeLessThan(10);
  expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0, refused: 0 });
  expect({ allAnswered, exitCode }).toEqual({ allAnswered: true, exitCode: 0 });
});

it("A foreign write transaction causes deliveries to be refused while it lasts, but none to be lost", {
  timeout: 2 * 60 * SECOND,
}, async () => {
  const hold = long(8, 30) * SECOND;
  const { place, receiver, sender } = await start();
  await untilTrue(20 * SECOND, () => answersIn(place).length > 100);
  const from = Date.now();
  const writer = await HeldShell.open(place.inbox, "BEGIN IMMEDIATE");
  const held = Date.now();
  await sleep(hold);
  const released = Date.now();
  await writer.close();
  await untilTrue(10 * SECOND, () =>
    answersIn(place).some(({ status, at }) => status === 200 && at > released),
  );
  await sleep(SECOND);
  const allAnswered = await sender.stop();
  await drained(place);
  const exitCode = await receiver.stop();
  const books = readBooks(place, [{ from, to: released }]);
  const answers = answersIn(place);
  const back =
    (answers.find(({ status, at }) => status === 200 && at > released)?.at ?? Infinity) - released;
  const slowest = Math.max(
    ...answers.filter(({ at }) => at > held).map(({ began, at }) => at - began),
  );
  process.stdout.write(
    `strangers, a foreign write of ${hold} ms: ${booksLine(books)}\n` +
      `  200 again after ${back} ms, the slowest answer took ${slowest} ms\n`,
  );
  const meanwhile = answers.filter(({ began, at }) => began > held && at < released);
  expect(new Set(meanwhile.map(({ status }) => status))).toEqual(new Set([503]));
  expect(back).toBeLessThan(longestAllowed(books));
  expect(books.longestRefusal).toBeLessThan(longestAllowed(books));
  expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0 });
  expect({ allAnswered, exitCode }).toEqual({ allAnswered: true, exitCode: 0 });
});

/**
 * Options with a short lease, so that an entry whose result could not be stored because of a lock
 * runs again soon.
 */
async function start(options: object = {}) {
  const place = newPlace();
  const receiver = new ReceiverProcess(place, { options: { lease: 2000, ...options } });
  const port = await receiver.ready;
  const sender = new SenderProcess(place, { ports: [port], pause: 5 });
  return { place, receiver, sender };
}

/** The size of SQLite's write-ahead log, in bytes. */
function logSize({ inbox }: Place): number {
  return statSync(`${inbox}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Warnings that name the log, and the read that keeps it from being emptied. */
function warningsOf(place: Place) {
  return logIn(place).filter((line) => {
    const text = JSON.stringify(line);
    return line.level === 40 && /-wal|write-ahead|\blog\b/i.test(text) && /\bread/i.test(text);
  });
}

/**
 * Resolves with the milliseconds until a condition was true, or at least `limit` if it never was.
 */
async function untilTrue(limit: number, check: () => boolean): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < limit && !check()) await sleep(250);
  return Math.round(check() ? Math.min(performance.now() - start, limit - 1) : limit);
}

function mib(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
