import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { ALWAYS } from "../inbox/threaded.ts";
import { long } from "../long.ts";
import { type AgedInbox, makeAgedInbox } from "./aged-inbox.ts";
import { type Meeting, meetDamage, SENT } from "./meet-damage.ts";
import { copyDamaged, hasPageTable, type Position, positionsOf } from "./pages.ts";
import { skip } from "./programs.ts";
import { newSeed } from "./seed.ts";

const folder = mkdtempSync(join(tmpdir(), "hookporter-damage-"));
const whole = join(folder, "whole.db");
let aged: AgedInbox;
let positions: readonly Position[] = [];

beforeAll(async () => {
  if (!hasPageTable()) return;
  aged = await makeAgedInbox(whole, Date.now());
  positions = positionsOf(whole);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach((context) => {
  if (!hasPageTable()) skip(context, "SQLite's dbstat");
});

const MINUTES = 4 * 60_000;

const seed = newSeed();
const FILLS: Readonly<Record<string, (random: () => number) => number>> = {
  "random bytes": (random) => Math.floor(random() * 256),
  zeros: () => 0,
};

it("All entries of an undamaged inbox are handled", async () => {
  const meeting = await meet({ tree: "nothing", place: "", page: 0 }, "zeros");
  const due = aged.due.size;
  expect(meeting).toMatchObject({ acknowledged: SENT, done: SENT, ready: true, faults: [] });
  expect(meeting.old).toEqual({ done: due, unreadable: 0, left: 0 });
});

it("There are pages of every kind to damage", () => {
  const trees = new Set(positions.map(({ tree }) => tree));
  const kinds = [
    "sqlite_schema",
    "entry",
    "entry_key",
    "entry_queue",
    "delivery",
    "attempt",
    "free list",
  ];
  expect(kinds.filter((kind) => !trees.has(kind))).toEqual([]);
  expect(positions.filter(({ place }) => place.startsWith("overflow")).length).toBeGreaterThan(2);
  expect(positions.length).toBeGreaterThanOrEqual(17);
});

it("Reading a damaged page reports that the inbox is damaged, and so does a start", async () => {
  const position = positions.find(
    ({ tree, place }) => tree === "entry" && place.startsWith("leaf"),
  );
  const path = join(folder, "unreadable.db");
  copyDamaged(whole, path, position ?? { tree: "", place: "", page: 0 }, () => 0);
  const inbox = sqliteInbox(path);
  await inbox.open({ access: "read" });
  await expect(inbox.list({})).rejects.toMatchObject({ code: "inbox_corrupt" });
  await inbox.close();
});

describe.each(Object.keys(FILLS))("A page overwritten with %s", (fill) => {
  it("never leads to acknowledged events that cannot be handled", { timeout: MINUTES }, () =>
    expectSound(fill, sqliteInbox),
  );

  it.skipIf(long(true, false))(
    "never leads to such events with the writer thread either",
    {
      timeout: MINUTES,
    },
    () => expectSound(fill, (path) => sqliteInbox(path, ALWAYS)),
  );
});

async function expectSound(fill: string, open: (path: string) => Inbox): Promise<void> {
  const rows: string[] = [];
  const unsound: string[] = [];
  const left = [...positions];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const meeting = await meet(next, fill, open);
      rows.push(row(next, meeting));
      if (!isSound(meeting)) unsound.push(row(next, meeting));
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  rows.sort();
  process.stdout.write(`strangers, a page of ${fill}, seed ${seed}\n${rows.join("\n")}\n`);
  expect(unsound).toEqual([]);
}

let files = 0;

async function meet(position: Position, fill: string, open = (path: string) => sqliteInbox(path)) {
  const path = join(folder, `damaged-${++files}.db`);
  const random = seededRandom(seed + position.page);
  copyDamaged(whole, path, position, () => FILLS[fill]?.(random) ?? 0);
  return meetDamage(path, open(path), aged);
}

/**
 * The receiver refuses to start, or refuses all deliveries and reports that it is not ready, or
 * handles everything.
 */
function isSound({ refused, acknowledged, done, ready, turnsAway, old, faults }: Meeting): boolean {
  if (faults.length > 0) return false;
  if (refused !== undefined) return refused === "inbox_corrupt" && turnsAway;
  if (!ready) return turnsAway;
  return acknowledged === SENT && done === SENT && old.left === 0;
}

function row({ tree, place, page }: Position, meeting: Meeting): string {
  const { refused, acknowledged, done, handled, ready, turnsAway, old, faults } = meeting;
  const where = `${isSound(meeting) ? "  " : "! "}${tree}, ${place} (page ${page})`.padEnd(62);
  if (refused !== undefined) return `${where} refused to start: ${refused}`;
  const counts = `200 ${acknowledged}/${SENT}, handled ${handled}, done ${done}`;
  const state = `${ready ? "ready" : "not ready"}${turnsAway ? ", 503" : ""}`;
  const before = `old: ${old.done} done, ${old.unreadable} unreadable, ${old.left} left`;
  return [`${where} ${counts}; ${state}; ${before}`, ...faults.slice(0, 3)].join("\n      ");
}
