import { spawnSync } from "node:child_process";
import { beforeEach, expect, it } from "vitest";
import { long } from "../long.ts";
import { acknowledgedIn, booksLine, drained, longestAllowed, readBooks } from "./books.ts";
import { failReads } from "./fail-reads.ts";
import { answersIn, logIn, newPlace } from "./place.ts";
import { skip } from "./programs.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

const SECOND = 1000;

beforeEach((context) => {
  const { status } = spawnSync("strace", ["-o", "/dev/null", "true"]);
  if (status !== 0) skip(context, "strace, and the right to trace");
});

const CASES = [
  ["the first read of each thread fails", 1, ":when=1"],
  ["all reads fail for 3 s", 3, ""],
  ["all reads fail for 60 s", 60, ""],
] as const;

it.each(CASES.slice(0, long(2, 3)))(
  "After %s, deliveries are accepted again without a restart",
  { timeout: 5 * 60 * SECOND },
  async (name, seconds, which) => {
    const place = newPlace();
    const receiver = new ReceiverProcess(place);
    const port = await receiver.ready;
    const sender = new SenderProcess(place, { ports: [port], connections: 16 });
    const acknowledged = () => acknowledgedIn(answersIn(place)).length;
    await expect.poll(acknowledged, { timeout: 30 * SECOND }).toBeGreaterThan(1500);
    await failReads(receiver.pid, place.inbox, seconds * SECOND, which);
    const after = acknowledged();
    const at = Date.now();
    await expect
      .poll(acknowledged, { timeout: 100 * SECOND, interval: 100 })
      .toBeGreaterThan(after + 200);
    const back = Date.now() - at;
    expect(await sender.stop()).toBe(true);
    await drained(place);
    expect(await receiver.stop()).toBe(0);
    const books = readBooks(place);
    const errors = logIn(place).filter(({ level }) => level >= 50);
    const told = errors.map(({ msg }) => msg.slice(0, 60));
    process.stdout.write(`strangers, ${name}: ${booksLine(books)}, back after ${back} ms\n`);
    process.stdout.write(`  ${[...new Set(told)].join("; ")}\n`);
    expect(JSON.stringify(errors)).not.toContain("recovery.md"); // the file is whole
    expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0 });
    if (which !== "") expect(books.longestRefusal).toBeLessThan(longestAllowed(books));
  },
);
