import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { salvageFile } from "../../src/inbox/sqlite/salvage/salvage.ts";
import { openFileTransfer } from "../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { long } from "../long.ts";
import { type AgedInbox, makeAgedInbox, sha256 } from "./aged-inbox.ts";
import { copyDamaged, hasPageTable, PAGE, type Position, positionsOf } from "./pages.ts";
import { run, skip } from "./programs.ts";
import { newSeed } from "./seed.ts";

/**
 * A sqlite3 shell, which may be built without `.recover`, as Debian's is; `HOOKPORTER_SQLITE3`
 * names another.
 */
const SHELL = process.env.HOOKPORTER_SQLITE3 ?? "sqlite3";
const RECOVER = ".recover --ignore-freelist";

const folder = mkdtempSync(join(tmpdir(), "hookporter-salvage-"));
const whole = join(folder, "whole.db");
const random = seededRandom(newSeed());
let aged: AgedInbox;
let positions: readonly Position[] = [];
let canRecover = false;

beforeAll(async () => {
  if (!hasPageTable()) return;
  aged = await makeAgedInbox(whole, Date.now());
  positions = positionsOf(whole);
  canRecover = (await run(SHELL, ["-batch", whole, RECOVER])).code === 0;
  if (!canRecover)
    process.stdout.write("not compared: .recover, since this sqlite3 was built without it\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * The pages that are overwritten at once, and what is whole after that: all deliveries, or most of
 * them.
 */
const DAMAGES: readonly (readonly [string, (position: Position) => boolean, "all" | "most"])[] = [
  ["the list of tables", ({ tree, place }) => tree === "sqlite_schema" && place !== "root", "all"],
  ["the root of the entries", ({ tree, place }) => tree === "entry" && place === "root", "all"],
  ["leaves of the entries, attempts and indexes", isLeafBut("sqlite_schema", "delivery"), "all"],
  ["leaves of every table and index", isLeafBut("sqlite_schema"), "most"],
  ["pages of large deliveries", ({ place }) => place.startsWith("overflow"), "most"],
  [
    "the root of the deliveries",
    ({ tree, place }) => tree === "delivery" && place === "root",
    "all",
  ],
  ["the roots of all tables and indexes", isRootBut("sqlite_schema"), "all"],
];

describe("after random bytes overwrote", () => {
  it.for(DAMAGES)(
    "%s, a salvage has what it says, and what .recover has",
    { timeout: 60_000 },
    async ([title, isHit, left], context) => {
      if (!hasPageTable()) skip(context, "SQLite's dbstat");
      const damaged = join(folder, `${title}.db`);
      const hit = positions.filter(isHit);
      expect(hit).not.toEqual([]);
      hit.reduce((from, position) => {
        copyDamaged(from, damaged, position, () => Math.floor(random() * 256));
        return damaged;
      }, whole);
      const before = await salvaged(whole);
      const after = await salvaged(damaged);
      const recovered = canRecover ? await recoveredFrom(damaged) : undefined;
      process.stdout.write(
        `${hit.length} pages, ${title}: ${before.size} whole deliveries before, ${after.size} salvaged, ${recovered?.size} by .recover\n`,
      );
      if (left === "all") expect(after).toEqual(before);
      else expect(after.size).toBeLessThan(before.size);
      if (left === "most") expect(after.size).toBeGreaterThan(0.8 * before.size);
      expect([...(recovered ?? [])].filter((id) => !after.has(id))).toEqual([]);
    },
  );
});

it("ends whatever was written over pages, or cut off, and says of each entry what it lost", {
  timeout: long(60_000, 600_000),
}, async (context) => {
  if (!hasPageTable()) skip(context, "SQLite's dbstat");
  const content = readFileSync(whole);
  const draw = (below: number) => Math.floor(random() * below);
  const aPage = () => PAGE * draw(content.length / PAGE);
  for (let round = 0; round < long(40, 2000); round++) {
    const damaged = Buffer.from(content);
    for (let hit = draw(4); hit >= 0; hit--) {
      const at = aPage();
      const from = aPage();
      const random = (count: number) => Array.from({ length: count }, () => draw(256));
      const ways = [
        () => damaged.fill(0, at, at + PAGE),
        () => content.copy(damaged, at, from, from + PAGE),
        () => damaged.set(random(PAGE), at),
        () => damaged.set(random(5), at + draw(PAGE - 5)),
      ];
      ways[draw(ways.length)]?.();
    }
    const path = join(folder, "any.db");
    writeFileSync(path, draw(8) === 0 ? damaged.subarray(0, draw(damaged.length)) : damaged);
    await expectHonest(path);
  }
});

function isLeafBut(...trees: readonly string[]) {
  return ({ tree, place }: Position) => place.startsWith("leaf") && !trees.includes(tree);
}

function isRootBut(...trees: readonly string[]) {
  return ({ tree, place }: Position) => place === "root" && !trees.includes(tree);
}

/** The events of a file whose deliveries a salvage brings into a new inbox letter for letter. */
async function salvaged(path: string): Promise<ReadonlySet<string>> {
  return (await salvageInto(path)).found;
}

/**
 * Salvages into a new inbox: the report, the numbers of its entries, and the events that are there
 * letter for letter.
 */
async function salvageInto(path: string) {
  const file = join(folder, "salvaged.db");
  const to = await openFileTransfer(file, "own");
  try {
    const report = await salvageFile(path, to, { source: "service" }).finally(() => to.close());
    const inbox = sqliteInbox(file);
    await inbox.open();
    const found = new Set<string>();
    const entries = await inbox.list({ limit: 1000 });
    for (const { key, seq } of entries) {
      const body = (await inbox.delivery(seq))?.body;
      if (body !== undefined && sha256(body) === aged.hashes.get(key.eventId))
        found.add(key.eventId);
    }
    await inbox.close();
    return { report, seqs: entries.map(({ seq }) => seq), found };
  } finally {
    rmSync(file);
  }
}

/**
 * Expects the report to count the entries that are there, and to name all others that the index of
 * their keys still has.
 */
async function expectHonest(path: string): Promise<void> {
  const salvage = await salvageInto(path).catch((thrown) => {
    expect(thrown).toMatchObject({ code: "inbox_corrupt" });
  });
  if (salvage?.report === undefined) return;
  const { seqs, report } = salvage;
  const lost = report.lost.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
  );
  expect(report.entries).toBe(seqs.length);
  expect(lost.filter((seq) => seqs.includes(seq))).toEqual([]);
  expect(indexedIn(path).filter((seq) => !seqs.includes(seq) && !lost.includes(seq))).toEqual([]);
}

function indexedIn(path: string): readonly number[] {
  const seqs: number[] = [];
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  try {
    const index = database.prepare("SELECT seq FROM entry INDEXED BY entry_key").iterate();
    for (const { seq } of index as Iterable<{ seq: number }>) seqs.push(seq);
  } catch {
    // What SQLite still reads was read.
  }
  database.close();
  return seqs.filter(Number.isSafeInteger);
}

/**
 * The events of a file, except what was erased from it, whose bodies are in any table that the
 * sqlite3 shell's `.recover` makes of it.
 */
async function recoveredFrom(path: string): Promise<ReadonlySet<string>> {
  const file = join(folder, "recovered.db");
  await run("sh", [
    "-c",
    '"$0" "$1" "$3" > "$2.sql"; "$0" "$2" < "$2.sql"',
    SHELL,
    path,
    file,
    RECOVER,
  ]);
  const database = new (loadSqlite().DatabaseSync)(file, { readOnly: true });
  const events = new Map([...aged.hashes].map(([id, hash]) => [hash, id]));
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const values = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM "${name}"`)
      .all()
      .flatMap((row) => Object.values(row)),
  );
  database.close();
  rmSync(file);
  const found = values.map((value) =>
    value instanceof Uint8Array ? events.get(sha256(value)) : undefined,
  );
  return new Set(found.filter((id) => id !== undefined));
}
