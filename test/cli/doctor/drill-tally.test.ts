import { expect, it } from "vitest";
import { tally } from "../../../src/cli/doctor/drill/tally.ts";
import type { Entry } from "../../../src/inbox/entry.ts";

const entry = (id: string, state: Entry["state"], attempts = 1, reason: string | null = null) =>
  ({
    key: { eventId: id },
    bodyHash: `hash of ${id}`,
    state,
    attempts,
    reason,
  }) as unknown as Entry;
const acknowledged = (...ids: readonly string[]) => new Set(ids.map((id) => `hash of ${id}`));

it("an acknowledged event that has no entry, or none of whose runs is known, is lost", () => {
  const entries = [entry("a", "handled"), entry("b", "handled")];
  const found = tally(acknowledged("a", "b", "c"), entries, new Map([["a", ["1"]]]));
  expect(found).toMatchObject({ acknowledged: 3, lost: 2, stuck: 0, dead: 0 });
});

it("an event that was run again after a kill is told from one that one process ran twice", () => {
  const entries = [entry("a", "handled", 2), entry("b", "handled", 2)];
  const ran = new Map([
    ["a", ["1", "2"]],
    ["b", ["2", "2"]],
  ]);
  expect(tally(acknowledged("a", "b"), entries, ran)).toMatchObject({
    lost: 0,
    runTwice: 2,
    runTwiceAtOnce: 1,
  });
});

it("an event that waits is stuck, unless it waits for a handler", () => {
  const entries = [
    entry("a", "waiting"),
    entry("b", "running"),
    entry("c", "waiting", 1, "no_handler"),
    entry("d", "dead"),
  ];
  expect(tally(acknowledged("a", "b", "c", "d"), entries, undefined)).toMatchObject({
    lost: 0,
    stuck: 2,
    dead: 1,
  });
});
