import { expect, it, onTestFinished, vi } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { keptLog, until } from "../../receiver/sample.ts";
import { AT, keep, numberedEntry } from "../entries.ts";
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
    if (text.includes("unnest($1::bigint[]) AS leased") && failures-- > 0) throw failure;
    return undefined;
  });
  await keep(inbox, numberedEntry(1));
  expect(await inbox.claim(CLAIM)).toHaveLength(1);
  expect(askedFor("unnest($1::bigint[]) AS leased")).toBe(2);
  await keep(inbox, numberedEntry(2));
  [failures, failure] = [1, Object.assign(new Error("no"), { code: "42501" })];
  await expect(inbox.claim(CLAIM)).rejects.toMatchObject({ code: "inbox_unavailable" });
  expect(askedFor("unnest($1::bigint[]) AS leased")).toBe(3);
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

it("an entry with an order key is not leased as it is kept, since others may hold it back", async () => {
  const { inbox } = await opened();
  const parts = { orderKey: "k", lease: { token: "mine", until: AT + 1000 } };
  expect(await keep(inbox, numberedEntry(1, 0, parts))).toMatchObject({ leased: false });
  expect(await inbox.list({})).toMatchObject([{ state: "waiting", attempts: 0, runAt: AT }]);
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
