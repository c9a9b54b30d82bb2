import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { long } from "../long.ts";
import { booksLine, drained, longestAllowed, readBooks } from "./books.ts";
import { newPlace } from "./place.ts";
import { needs, query, skip } from "./programs.ts";
import { inFolder } from "./removal.ts";
import { newSeed } from "./seed.ts";
import { SenderProcess } from "./sender-process.ts";
import { Storm, type StormOptions } from "./storm.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

it("Foreign readers cause no lost delivery and no lack of readiness, even if the receiver is killed", {
  timeout: MINUTE,
}, async (context) => {
  needs(context, "the sqlite3 shell", "Python's sqlite3");
  await expectNothingLost({ duration: 8 * SECOND, kills: 2, freezes: 0, sources: ["service"] });
});

it.skipIf(long(true, false))(
  "Foreign readers cause no loss along with a second receiver, kills and freezes, for ten minutes",
  {
    timeout: 15 * MINUTE,
  },
  async (context) => {
    needs(context, "the sqlite3 shell", "Python's sqlite3");
    const sources = ["service", "other"];
    await expectNothingLost({ duration: 10 * MINUTE, kills: 60, freezes: 30, sources });
  },
);

it("Nothing is lost and no refusal lasts, whatever is done to receiver and file at random", {
  timeout: long(3, 20) * MINUTE,
}, async (context) => {
  needs(context, "the sqlite3 shell", "Python's sqlite3");
  const { status } = spawnSync("strace", ["-o", "/dev/null", "true"]);
  if (status !== 0) skip(context, "strace, and the right to trace");
  const duration = long(20 * SECOND, 10 * MINUTE);
  const harm = { stops: long(2, 40), removals: long(2, 30), readErrors: long(1, 8) };
  await expectNothingLost({
    duration,
    kills: long(2, 40),
    freezes: 0,
    sources: ["service"],
    ...harm,
  });
});

async function expectNothingLost(options: Omit<StormOptions, "seed">): Promise<void> {
  const seed = newSeed();
  const place = inFolder(newPlace());
  const storm = new Storm(place, { ...options, seed });
  const sender = new SenderProcess(place, { ports: await storm.start(), pause: long(8, 100) });
  await storm.rage();
  const allAnswered = await sender.stop();
  await drained(place);
  const ready = await storm.areReady();
  const exitCodes = await storm.stop();
  const books = readBooks(place, storm.outages);
  const complaints = [...storm.readers.values()].flatMap((reader) => reader.complaints);
  const readers = [...storm.readers].map(([name, { runs, complaints }]) => {
    return `${name} ${runs}${complaints.length === 0 ? "" : ` (${complaints.length} failed)`}`;
  });
  process.stdout.write(`strangers, seed ${seed}: ${booksLine(books)}\n  ${readers.join(", ")}\n`);
  expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0 });
  expect(books.longestRefusal).toBeLessThan(longestAllowed(books));
  const codes = options.sources.map(() => 0);
  expect({ allAnswered, ready, exitCodes }).toEqual({
    allAnswered: true,
    ready: true,
    exitCodes: codes,
  });
  expect(await query(place.inbox, "PRAGMA integrity_check")).toBe("ok");
  expect(storm.faults).toEqual([]);
  expect(
    complaints.filter((complaint) => /malformed|corrupt|not a database|disk/i.test(complaint)),
  ).toEqual([]);
  // Expect that something was tested.
  expect(books.acknowledged).toBeGreaterThan(50);
  expect([...storm.readers.values()].reduce((sum, { copies }) => sum + copies, 0)).toBeGreaterThan(
    0,
  );
}
