import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { long } from "../long.ts";
import { booksLine, drained, readBooks } from "./books.ts";
import { cli } from "./commands.ts";
import { buildOlder, hasOlder, OLDER } from "./older-package.ts";
import { newPlace, type Place } from "./place.ts";
import { type Ended, run, skip } from "./programs.ts";
import { DIST, ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

const known = hasOlder();
const folder = mkdtempSync(join(tmpdir(), "hookporter-older-"));
let older = "";

beforeAll(async () => {
  if (known) older = await buildOlder(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach((context) => {
  if (!known) skip(context, `the commit ${OLDER}, which a shallow clone lacks`);
});

it("A receiver of 0.1.0 is not disturbed by this version's reading commands", {
  timeout: long(120_000, 900_000),
}, async () => {
  const commands = (place: Place) => [
    () => cli(["events", "list", "--inbox", place.inbox]),
    () => cli(["events", "list", "--json", "--inbox", place.inbox]),
    () => cli(["events", "show", "1", "--inbox", place.inbox]),
    () => cli(["events", "show", "1", "--body", "--inbox", place.inbox]),
    () => cli(["events", "export", "--limit", "50", "--inbox", place.inbox]),
    () =>
      cli([
        "events",
        "export",
        "--to",
        join(place.folder, "fixtures"),
        "--limit",
        "2000",
        "--inbox",
        place.inbox,
      ]),
  ];
  const codes = await besideReceiver(older, commands);
  expect(codes.filter(({ code }) => code !== 0)).toEqual([]);
});

it("A receiver of this version is not disturbed by 0.1.0", { timeout: long(120_000, 900_000) }, async () => {
  const lister = join(import.meta.dirname, "children", "lister.js");
  await besideReceiver(DIST, (place) => [() => run(process.execPath, [lister, older, place.inbox])]);
});

/** Runs commands next to a receiver under load, which must always answer 200; resolves with their results. */
async function besideReceiver(
  dist: string,
  commandsOn: (place: Place) => readonly (() => Promise<Ended>)[],
): Promise<readonly Ended[]> {
  const place = newPlace();
  const receiver = new ReceiverProcess(place, { dist });
  const sender = new SenderProcess(place, { ports: [await receiver.ready] });
  await receiver.threaded;
  const schema = migrationsOf(place);
  const ended: Ended[] = [];
  for (let round = 0; round < long(1, 10); round++) {
    for (const command of commandsOn(place)) ended.push(await command());
  }
  const allAnswered = await sender.stop();
  await drained(place);
  const exitCode = await receiver.stop();
  const books = readBooks(place);
  process.stdout.write(`strangers, versions: ${booksLine(books)}; ${ended.length} commands\n`);
  expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0, refused: 0 });
  expect({ allAnswered, exitCode }).toEqual({ allAnswered: true, exitCode: 0 });
  expect(migrationsOf(place)).toEqual(schema);
  expect(schema.length).toBeGreaterThan(0);
  return ended;
}

function migrationsOf({ inbox }: Place): readonly unknown[] {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(inbox, { readOnly: true });
  try {
    return database.prepare("SELECT * FROM migration ORDER BY version").all();
  } finally {
    database.close();
  }
}
