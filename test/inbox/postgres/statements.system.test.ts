import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { keptLog, until } from "../../receiver/sample.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../entries.ts";
import { answering, type Instead } from "./answering.ts";
import { pgliteInboxes } from "./pglite.ts";
import { servePglite } from "./pglite-server.ts";

// What an inbox asks the database, where that shows in nothing but its speed, or in what happens
// between two statements.

const SCHEMA = "statements";
const { database, empty } = await pgliteInboxes(SCHEMA);

/** An open inbox, and what it asks from then on. */
async function opened(instead?: Instead, options: PostgresOptions = {}) {
  await empty();
  const { on, asked, notifications, askedFor } = answering(database, instead);
  const inbox = postgresStore(on, { schema: SCHEMA, ...options });
  await inbox.open();
  onTestFinished(() => inbox.close());
  asked.length = 0;
  /** How many statements some work needs. */
  const needed = async (work: () => Promise<unknown>) => {
    const before = asked.length;
    await work();
    return asked.length - before;
  };
  return { inbox, asked, notifications, askedFor, needed };
}

const lost = () => Object.assign(new Error("gone"), { code: "57P01" });
const CLAIM = { now: AT, limit: 1, leaseTime: 1000, sources: ["service"] };

it("a claim is one statement, two if it finds something, and none for nothing", async () => {
  const { inbox, needed } = await opened();
  const claiming = (parts: object = {}) => needed(() => inbox.claim({ ...CLAIM, ...parts }));
  expect(await claiming()).toBe(1);
  expect(await claiming({ limit: 0 })).toBe(0);
  expect(await claiming({ sources: [] })).toBe(0);
  expect(await claiming({ sources: undefined })).toBe(1); // no source has any
  // while something is paused, it also sets aside what that holds back
  await inbox.pause?.({ scope: "kind", name: "lead.*", since: AT, who: "me" });
  expect(await claiming()).toBe(2);
  await inbox.resume?.({ scope: "kind", name: "lead.*" }, AT);
  await inbox.nextRunAt();
  expect(await claiming()).toBe(1);
  await keep(inbox, numberedEntry(1));
  expect(await claiming({ limit: 0, ahead: 1 })).toBe(2);
});

it.each(["40001", "40P01"])(
  "what another transaction made impossible (%s) is run again, four times",
  async (code) => {
    let failures = 3;
    const { inbox, askedFor } = await opened((text) => {
      if (text.includes(".delivery") && failures-- > 0) throw Object.assign(new Error(), { code });
      return undefined;
    });
    expect(await inbox.delivery(1)).toBeUndefined();
    expect(askedFor(".delivery")).toBe(4);
    failures = 3;
    expect(await keep(inbox, numberedEntry(1))).toMatchObject({ duplicate: false });
    failures = 4;
    await expect(inbox.delivery(1)).rejects.toMatchObject({ code: "inbox_busy" });
    expect(askedFor(".delivery")).toBe(12);
  },
);

it("what was leased is read again if the connection was lost in between, and only then", async () => {
  let failures = 1;
  let failure = lost();
  const { inbox, askedFor } = await opened((text) => {
    if (text.includes("unnest($1::bigint[], $2::bigint[]") && failures-- > 0) throw failure;
    return undefined;
  });
  await keep(inbox, numberedEntry(1));
  expect(await inbox.claim(CLAIM)).toHaveLength(1);
  expect(askedFor("unnest($1::bigint[], $2::bigint[]")).toBe(2);
  await keep(inbox, numberedEntry(2));
  [failures, failure] = [1, Object.assign(new Error("no"), { code: "42501" })];
  await expect(inbox.claim(CLAIM)).rejects.toMatchObject({ code: "inbox_unavailable" });
  expect(askedFor("unnest($1::bigint[], $2::bigint[]")).toBe(3);
});

it("many leases are renewed 500 at a time, and those that are lost are named", async () => {
  const { inbox, needed } = await opened();
  for (const number of [1, 2]) await keep(inbox, numberedEntry(number));
  const [first, last] = await inbox.claim({ ...CLAIM, limit: 2 });
  if (first === undefined || last === undefined) throw new Error("expected two entries");
  const lostOnes = Array.from({ length: 999 }, (_, index) => ({ seq: 1000 + index, lease: "x" }));
  const renew = () => inbox.renew([first, ...lostOnes, last], AT + 5000);
  expect(await needed(renew)).toBe(3);
  expect(await renew()).toEqual(lostOnes.map(({ seq }) => seq));
  expect(await inbox.list({})).toMatchObject([{ runAt: AT + 5000 }, { runAt: AT + 5000 }]);
});

it("a process that claims, renews or keeps entries that it runs says so, every ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { inbox, notifications } = await opened();
  await until(() => expect(inbox.supportsNotify).toBe(true));
  const lease = { token: "mine", until: AT + 1000 };
  await keep(inbox, numberedEntry(1));
  await until(() => expect(notifications).toHaveLength(2)); // the proof that they arrive, and this
  const says = async (work: () => Promise<unknown>) => {
    vi.advanceTimersByTime(20_000);
    const before = notifications.length;
    await work();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return notifications.length > before;
  };
  expect(await says(() => inbox.claim({ ...CLAIM, now: AT - 1 }))).toBe(false);
  expect(await says(() => inbox.claim(CLAIM))).toBe(true);
  expect(await says(() => inbox.renew([], AT))).toBe(false);
  expect(await says(() => inbox.renew([{ seq: 1, lease: "x" }], AT))).toBe(true);
  expect(await says(() => keep(inbox, numberedEntry(2, 0, { lease })))).toBe(true);
  expect(await says(() => keep(inbox, numberedEntry(2, 0, { lease })))).toBe(false); // a duplicate
  expect(
    await says(() => keep(inbox, numberedEntry(3, 0, { state: "dead", reason: "too_old" }))),
  ).toBe(false);
  expect(await says(() => keep(inbox, numberedEntry(4)))).toBe(true);
});

it("other processes are told of what is due now, and of nothing else", async () => {
  const { inbox, notifications } = await opened();
  await until(() => expect(inbox.supportsNotify).toBe(true));
  const tells = async (work: () => Promise<unknown>) => {
    await new Promise((resolve) => setTimeout(resolve, 25)); // an earlier one delays the next
    const before = notifications.length;
    await work();
    await new Promise((resolve) => setTimeout(resolve, 25));
    return notifications.length > before;
  };
  const settled = async (parts: Parameters<typeof settlementOf>[1], lease?: string) => {
    const entry = await claimOne(inbox, AT + 10, 10);
    const settlement = settlementOf(lease === undefined ? entry : { ...entry, lease }, parts);
    return tells(() => inbox.settle(settlement, AT + 10));
  };
  expect(await tells(() => keep(inbox, numberedEntry(1)))).toBe(true);
  expect(await tells(() => keep(inbox, numberedEntry(1)))).toBe(false); // a duplicate
  expect(await tells(() => inbox.touch(numberedEntry(1).key, AT))).toBe(false);
  expect(await settled({ state: "failing", runAt: AT + 10 })).toBe(true);
  expect(await settled({ state: "failing", runAt: AT + 10 }, "lost")).toBe(false);
  for (const parts of [{ state: "failing", runAt: AT + 11 } as const, {}]) {
    const [entry] = await inbox.claim({ ...CLAIM, now: AT + 20 });
    const settlement = settlementOf(entry ?? { seq: 0, lease: "" }, parts);
    expect(await tells(() => inbox.settle(settlement, AT + 10))).toBe(false);
  }
  await keep(inbox, numberedEntry(3, 0, { orderKey: "k" }));
  const alone = settlementOf(await claimOne(inbox, AT + 10));
  expect(await tells(() => inbox.settle(alone, AT + 20))).toBe(false); // nothing waited behind it
  const dead = numberedEntry(2, 0, { state: "dead", reason: "too_old" });
  expect(await tells(() => keep(inbox, dead))).toBe(false);
  expect(await tells(() => inbox.retry({}, AT))).toBe(true);
});

describe("once a look from the start was slow", () => {
  /**
   * An inbox with an entry that runs, whose claims are slow; `looksFromStart` says whether its next
   * claim is such a look.
   */
  async function slow() {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const opening = await opened((text) => {
      if (text.includes("leased AS")) vi.advanceTimersByTime(20);
      return undefined;
    });
    const { inbox, asked } = opening;
    await keep(inbox, numberedEntry(1, 0, { orderKey: "k" }));
    const request = { ...CLAIM, now: AT + 60_000, leaseTime: 600_000 };
    const [entry] = await inbox.claim(request);
    if (entry === undefined) throw new Error("expected an entry");
    const looksFromStart = async () => {
      asked.length = 0;
      await inbox.claim(request);
      return !asked.some((text) => /run_at >= \$/.test(text));
    };
    await inbox.claim(request); // which finds that there is nothing else
    expect(await looksFromStart()).toBe(false);
    return { ...opening, entry, looksFromStart };
  }
  type Slow = Awaited<ReturnType<typeof slow>>;
  const inside = { timeout: 1000, now: () => AT, isLeased: () => true };

  it.each<[string, boolean, (all: Slow) => Promise<unknown> | undefined]>([
    ["an entry that was due long ago", true, ({ inbox }) => keep(inbox, numberedEntry(2))],
    [
      "the end of an entry that may hold others back",
      true,
      ({ inbox, entry }) => inbox.settle(settlementOf(entry), AT),
    ],
    [
      "an entry that is tried again",
      true,
      ({ inbox, entry }) =>
        inbox.settle(settlementOf(entry, { state: "failing", runAt: AT, unordered: true }), AT),
    ],
    [
      "a handler's transaction",
      true,
      ({ inbox }) => inbox.inside?.(async () => "roll_back", inside),
    ],
    ["a retry", true, ({ inbox }) => inbox.retry({}, AT)],
    [
      "a pause",
      true,
      ({ inbox }) => inbox.pause?.({ scope: "kind", name: "lead.*", since: AT, who: "me" }),
    ],
    ["an entry that is due now", false, ({ inbox }) => keep(inbox, numberedEntry(2, 59_500))],
    [
      "the end of an entry that holds nothing back",
      false,
      ({ inbox, entry }) => inbox.settle(settlementOf(entry, { unordered: true, runAt: AT }), AT),
    ],
    [
      "an entry that is tried again later",
      false,
      ({ inbox, entry }) => {
        const later = { state: "failing", runAt: AT + 1e6, unordered: true } as const;
        return inbox.settle(settlementOf(entry, later), AT);
      },
    ],
  ])("whether the next claim after %s is one again: %s", async (_, is, change) => {
    const all = await slow();
    await change(all);
    expect(await all.looksFromStart()).toBe(is);
  });

  it("what is due next is not looked for from the start either", async () => {
    const { inbox, asked, entry } = await slow();
    asked.length = 0;
    const at = await inbox.nextRunAt({ sources: ["service"] });
    expect(at).toBe(AT + 660_000);
    expect(asked).toEqual([expect.stringContaining(`run_at >= ${AT + 59_000}`)]);
    await inbox.settle(settlementOf(entry), AT);
    await inbox.nextRunAt({ sources: ["service"] });
    expect(asked.at(-1)).not.toContain("run_at >=");
  });
});

it("an entry with an order key is not leased as it is kept, since others may hold it back", async () => {
  const { inbox } = await opened();
  const parts = { orderKey: "k", lease: { token: "mine", until: AT + 1000 } };
  expect(await keep(inbox, numberedEntry(1, 0, parts))).toMatchObject({ leased: false });
  expect(await inbox.list({})).toMatchObject([{ state: "waiting", attempts: 0, runAt: AT }]);
});

it("many entries are changed 1000 in a transaction", async () => {
  const { inbox, askedFor } = await opened();
  await database.exec(`
    INSERT INTO ${SCHEMA}.entry SELECT i, ${AT} + i, i, 'service', 'a.b', NULL, NULL, ${AT} + i, '', 0 FROM generate_series(1, 1001) i;
    INSERT INTO ${SCHEMA}.dead_or_received (seq, key_timestamp, received_at, dated, source, state, settled_at, run_at, attempts, finished_handlers)
    SELECT i, ${AT} + i, ${AT} + i, 0, 'service', 'dead', 0, 0, 1, '[]' FROM generate_series(1, 1001) i`);
  expect(await inbox.retry({}, AT)).toBe(1001);
  expect(askedFor("DELETE FROM")).toBe(2);
  expect(await inbox.reschedule({}, AT + 9)).toBe(1001);
  expect(askedFor("pg_advisory_xact_lock")).toBe(2); // a new time changes no order
});

it("a dead letter that was pruned just before its duplicate was counted is kept again; another event is not", async () => {
  let prunes = 1;
  const { inbox, askedFor } = await opened((text) => {
    return text.includes("duplicates = repeat.duplicates") && prunes-- > 0 ? [] : undefined;
  });
  const dead = numberedEntry(1, 0, { state: "dead", reason: "too_old" });
  const { seq } = await keep(inbox, dead);
  expect(askedFor("repeat.duplicates")).toBe(0);
  expect(await inbox.append(dead)).toEqual({ seq, duplicate: true, state: "dead" });
  expect(askedFor("repeat.duplicates")).toBe(2);
  prunes = 9;
  expect(await inbox.append(dead)).toBeUndefined();
  expect(askedFor("repeat.duplicates")).toBe(5); // three looks, and no more
  prunes = 0;
  await keep(inbox, numberedEntry(2));
  prunes = 1;
  expect(await inbox.append(numberedEntry(2))).toBeUndefined();
  prunes = 1;
  expect(await inbox.append({ ...numberedEntry(2), afterPruning: true })).toMatchObject({
    duplicate: true,
  });
});

it("entries are kept by one statement, unless they have an order key or a role's default isolates them more", async () => {
  const locks = "pg_advisory_xact_lock(hash)";
  const { inbox, askedFor, needed } = await opened();
  expect(await needed(() => inbox.append(numberedEntry(1)))).toBe(1);
  expect(await needed(() => inbox.append(numberedEntry(2, 0, { orderKey: "k" })))).toBe(2);
  expect(askedFor(locks)).toBe(1);
  await database.exec("SET default_transaction_isolation = 'repeatable read'");
  onTestFinished(async () => void (await database.exec("RESET default_transaction_isolation")));
  const strict = await opened();
  expect(await strict.needed(() => strict.inbox.append(numberedEntry(3)))).toBe(2);
  expect(strict.askedFor(locks)).toBe(1);
});

it("a result that was stored before is looked for only if its lease was lost", async () => {
  const { inbox, askedFor, needed } = await opened();
  await keep(inbox, numberedEntry(1));
  const settlement = settlementOf(await claimOne(inbox), { unordered: true });
  expect(await needed(() => inbox.settle(settlement, AT))).toBe(1);
  expect(askedFor("t.settled_lease")).toBe(0);
  expect(await inbox.settle(settlement, AT)).toBe(true);
  expect(askedFor("t.settled_lease")).toBe(1);
  await keep(inbox, numberedEntry(2));
  const other = settlementOf(await claimOne(inbox));
  expect(await needed(() => inbox.settle(other, AT))).toBe(2); // the lock, and the end
});

it("a database that cannot hold every text is refused", async () => {
  const { on } = answering(database, (text) =>
    text.includes("server_encoding")
      ? [{ encoding: "LATIN1", isolation: "read committed" }]
      : undefined,
  );
  await expect(postgresStore(on, { schema: SCHEMA }).open()).rejects.toMatchObject({
    code: "inbox_unavailable",
    message: expect.stringContaining("the encoding UTF8, got LATIN1"),
  });
});

it("a schema that is made or removed at this moment counts as none", async () => {
  const gone: Instead = (text) => {
    if (text.includes("max(version)"))
      throw Object.assign(new Error("no table"), { code: "42P01" });
    return undefined;
  };
  const inbox = postgresStore(answering(database, gone).on, { schema: SCHEMA });
  await expect(inbox.open({ access: "change" })).rejects.toMatchObject({
    message: expect.stringContaining("got none"),
  });
});

it("acknowledged entries that are missing once the database is back are reported", async () => {
  await empty();
  const server = await servePglite(database, onTestFinished);
  const { log, lines } = keptLog();
  const inbox = postgresStore(server.url, { schema: SCHEMA });
  await inbox.open({ log });
  onTestFinished(() => inbox.close());
  await until(() => expect(inbox.supportsNotify).toBe(true));
  for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number));
  await keep(inbox, numberedEntry(1)); // a duplicate is not kept
  await database.exec(`DELETE FROM ${SCHEMA}.entry WHERE event_id = 'evt_2'`);
  for (const socket of server.open) socket.destroy();
  await until(() =>
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      { fields: { missing: 1, of: 3 } },
    ]),
  );
});
