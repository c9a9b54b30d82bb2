import { expect, it } from "vitest";
import { keptLately } from "../../../src/inbox/postgres/kept-lately.ts";
import type { Store } from "../../../src/inbox/postgres/store.ts";
import { keptLog } from "../../receiver/sample.ts";
import { AT, sampleKey } from "../entries.ts";

/** A database that lacks the events with some ids. */
function lacking(...ids: string[]): { store: Store; lost: Set<string> } {
  const lost = new Set(ids);
  const query = async (_: string, [given]: readonly unknown[]) =>
    (JSON.parse(String(given)) as { n: number; event_id: string }[]).filter(({ event_id: id }) =>
      lost.has(id),
    );
  return { store: { query } as unknown as Store, lost };
}

const key = (eventId: string) => sampleKey({ eventId });

it("each missing entry is reported once, with the time of the first", async () => {
  const { log, lines } = keptLog();
  const kept = keptLately();
  const { store } = lacking("b", "c");
  for (const [at, id] of ["a", "b", "c"].entries()) kept.add(key(id), AT + at);
  await kept.look(store, AT + 10, log);
  await kept.look(store, AT + 20, log);
  expect(lines).toMatchObject([
    { level: "error", fields: { missing: 2, of: 3, since: new Date(AT + 1).toISOString() } },
  ]);
});

it("what was there at one look, or was kept while it went on, is looked for at the next", async () => {
  const { log, lines } = keptLog();
  const kept = keptLately();
  const { store, lost } = lacking("c");
  for (const id of ["a", "c"]) kept.add(key(id), AT);
  const looking = kept.look(store, AT + 10, log);
  kept.add(key("b"), AT + 11);
  await looking;
  lost.add("a").add("b");
  await kept.look(store, AT + 20, log);
  expect(lines).toMatchObject([
    { fields: { missing: 1, of: 2 } },
    { fields: { missing: 2, of: 2 } },
  ]);
});

it("the latest 10 000 of the last ten minutes are looked for, as older ones may have been pruned", async () => {
  const { log, lines } = keptLog();
  const kept = keptLately();
  for (let number = 0; number < 20_001; number++) kept.add(key(String(number)), AT);
  const { store } = lacking("10000", "10001", "20000");
  await kept.look(store, AT + 10 * 60_000, log);
  expect(lines).toEqual([]);
  await kept.look(store, AT + 10 * 60_000 - 1, log);
  expect(lines).toMatchObject([{ fields: { missing: 2, of: 10_000 } }]);
});
