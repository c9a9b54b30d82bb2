import { beforeAll, describe, expect, it } from "vitest";
import type { Runner } from "../../src/inbox/runner.ts";
import { keep, numberedEntry, settlementOf } from "../inbox/entries.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { codeOf, readPage } from "./markdown.ts";

const page = readPage("docs/scaling.md");
const [grants = "", ...queries] = codeOf(page, "sql");

describe("the SQL of the page", () => {
  const results = new Map<string, Readonly<Record<string, unknown>>[]>();

  beforeAll(async () => {
    const { database, makeInbox } = await pgliteInboxes();
    const inbox = makeInbox();
    await inbox.open();
    const now = Date.now();
    const runner = { id: "a", version: "1", role: "both", sources: ["service"], kinds: ["*"] };
    await inbox.register(runner as Runner, now);
    await keep(inbox, numberedEntry(1));
    const [entry] = await inbox.claim({ now, limit: 1, leaseTime: 60_000 });
    if (entry === undefined) throw new Error("expected an entry");
    await inbox.settle(settlementOf(entry, { state: "dead", reason: "attempts_exhausted" }), now);
    await keep(inbox, numberedEntry(2));
    await inbox.claim({ now, limit: 1, leaseTime: 60_000 });
    await keep(inbox, numberedEntry(3));
    await keep(inbox, numberedEntry(4, 0, { runAt: now + 60_000 }));
    await database.exec(`CREATE ROLE monitor; ${grants} SET ROLE monitor`);
    for (const query of queries) {
      const { rows } = await database.query<Readonly<Record<string, unknown>>>(query);
      for (const [name] of Object.entries(rows[0] ?? {})) results.set(name, rows);
    }
    await database.exec("RESET ROLE; DROP OWNED BY monitor; DROP ROLE monitor");
    await inbox.close();
  });

  it("runs with the granted rights alone", () => {
    expect(queries.length).toBeGreaterThanOrEqual(8);
    expect([...results.keys()]).toEqual(
      expect.arrayContaining(["due", "waiting", "state", "silent_seconds", "n_dead_tup", "size"]),
    );
  });

  it("says what is due, what waits, what runs and what is stuck", () => {
    expect(results.get("due")).toMatchObject([{ due: 1 }]);
    expect(Number(results.get("oldest_seconds")?.[0]?.oldest_seconds)).toBeGreaterThan(60);
    expect(results.get("waiting")).toMatchObject([
      { source: "service", waiting: 2, failing: 0, running: 1 },
    ]);
    expect(results.get("entries")).toMatchObject([
      { state: "dead", reason: "attempts_exhausted", entries: 1 },
    ]);
  });

  it("says which processes live", () => {
    const [process] = results.get("silent_seconds") ?? [];
    expect(process).toMatchObject({ id: "a", role: "both" });
    expect(Math.abs(Number(process?.silent_seconds))).toBeLessThan(60);
  });
});
