import { expect, it } from "vitest";
import { tally } from "../../../src/cli/doctor/drill/tally.ts";
import type { Entry } from "../../../src/inbox/entry.ts";

const entry = (id: string, state: Entry["state"], reason: string | null = null) =>
  ({
    key: { eventId: id },
    bodyHash: `hash of ${id}`,
    state,
    attempts: id === "twice" || id === "at once" ? 2 : 1,
    reason,
  }) as unknown as Entry;

const ENTRIES = [
  entry("handled", "handled"),
  entry("twice", "handled"),
  entry("at once", "handled"),
  entry("waits", "waiting"),
  entry("runs", "running"),
  entry("waits for a handler", "waiting", "no_handler"),
  entry("dead", "dead"),
];
const IDS = ENTRIES.map(({ key }) => key.eventId);
const hashes = new Set(IDS.concat("no entry").map((id) => `hash of ${id}`));

it("an event that waits is stuck, unless for a handler, and one without an entry is lost", () => {
  const found = tally(hashes, ENTRIES, undefined);
  expect(found).toMatchObject({ acknowledged: 8, lost: 1, stuck: 2, dead: 1 });
});

it("a handled event none of whose runs is known is lost, and one that was run again after a kill is told from one that one process ran twice", () => {
  const ran = new Map([
    ["twice", ["1", "2"]],
    ["at once", ["2", "2"]],
  ]);
  const found = tally(hashes, ENTRIES, ran);
  expect(found).toMatchObject({ lost: 2, runTwice: 2, runTwiceAtOnce: 1 });
});
