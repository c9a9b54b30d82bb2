import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWN_IDENTITY, REJECTED } from "../../../src/event/identity.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import type { CopyTerms } from "../../../src/inbox/transfer/copy.ts";
import { mergeInbox } from "../../../src/inbox/transfer/merge.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, claimOne, keep, numberedEntry, sampleKey, settlementOf } from "../entries.ts";
import { contentOf, fillEveryState, PRUNED } from "./every-state.ts";

async function using<Result>(
  path: string,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

async function merge(from: string, into: string, terms?: CopyTerms) {
  const source = await openFileTransfer(from, "read");
  const target = await openFileTransfer(into, "own");
  try {
    return await mergeInbox(source, target, terms);
  } finally {
    await source.close();
    await target.close();
  }
}

/** The paths of two inboxes that do not exist yet. */
function paths() {
  const folder = tempFolder();
  return { from: join(folder, "rescued.db"), into: join(folder, "inbox.db") };
}

/** Brings entry 1, which has been kept, to a state. */
const REACH: Readonly<Record<string, (inbox: Inbox) => Promise<unknown>>> = {
  waiting: async () => {},
  failing: async (inbox) =>
    inbox.settle(settlementOf(await claimOne(inbox), { state: "failing", runAt: AT + 5 }), AT),
  dead: async (inbox) =>
    inbox.settle(
      settlementOf(await claimOne(inbox), { state: "dead", reason: "no_attempts_left" }),
      AT,
    ),
  handled: async (inbox) => inbox.settle(settlementOf(await claimOne(inbox)), AT),
};
const ORDER = Object.keys(REACH);

describe("a merge", () => {
  it("adds all that an empty inbox lacks, and nothing the second time", async () => {
    const { from, into } = paths();
    await using(from, fillEveryState);
    expect(await merge(from, into)).toMatchObject({ entries: 9, added: 9, advanced: 0 });
    expect(await merge(from, into)).toMatchObject({ entries: 9, added: 0, advanced: 0 });
    const bodies = async (inbox: Inbox) => {
      const entries = await inbox.list({});
      return Promise.all(entries.map(async ({ seq }) => String((await inbox.delivery(seq))?.body)));
    };
    expect(await using(into, bodies)).toEqual(await using(from, bodies));
    const states = async (inbox: Inbox) => {
      const { running, waiting, failing, ...counts } = (await contentOf(inbox)).counts;
      return { ...counts, open: running + waiting + failing };
    };
    expect(await using(into, states)).toEqual(await using(from, states));
    expect(await using(into, (inbox) => inbox.append(PRUNED))).toBeUndefined();
  });

  it("adds nothing once it is stopped, and can be repeated", async () => {
    const { from, into } = paths();
    await using(from, (inbox) => keep(inbox, numberedEntry(1)));
    expect(await merge(from, into, { signal: AbortSignal.abort() })).toBeUndefined();
    expect(await using(into, (inbox) => inbox.list({}))).toEqual([]);
    const told: unknown[] = [];
    const signal = new AbortController().signal;
    await merge(from, into, { signal, onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([{ step: "copy", entries: 1, total: 1 }]);
  });

  it("gives new entries new numbers, and keeps those of the other inbox", async () => {
    const { from, into } = paths();
    await using(from, (inbox) =>
      Promise.all([1, 2, 3].map((number) => keep(inbox, numberedEntry(number)))),
    );
    await using(into, (inbox) =>
      Promise.all([9, 2].map((number) => keep(inbox, numberedEntry(number)))),
    );
    expect(await merge(from, into)).toMatchObject({ entries: 3, added: 2, advanced: 0 });
    const ids = await using(into, async (inbox) =>
      (await inbox.list({})).map(({ seq, key }) => `${seq} ${key.eventId}`),
    );
    expect(ids).toEqual(["1 evt_9", "2 evt_2", "3 evt_1", "4 evt_3"]);
  });

  it.each(ORDER.flatMap((theirs) => ORDER.map((ours) => [theirs, ours] as const)))(
    "of an entry that is %s there and %s here keeps the further state",
    async (theirs, ours) => {
      const { from, into } = paths();
      for (const [path, state] of [
        [from, theirs],
        [into, ours],
      ] as const) {
        await using(path, async (inbox) => {
          await keep(inbox, numberedEntry(1));
          await REACH[state]?.(inbox);
        });
      }
      const advances = ORDER.indexOf(theirs) > ORDER.indexOf(ours);
      expect(await merge(from, into)).toMatchObject({ added: 0, advanced: advances ? 1 : 0 });
      const [entry, ...others] = await using(into, (inbox) => inbox.list({}));
      const expected = advances ? theirs : ours;
      expect(others).toEqual([]);
      expect(entry).toMatchObject({ state: expected, attempts: expected === "waiting" ? 0 : 1 });
    },
  );

  it("adds nothing that was handled and pruned here, but what waits, dead letters, which nothing prunes unasked, and newer events by the user's own identity", async () => {
    const { from, into } = paths();
    const key = (eventId: string, timestamp: number) => sampleKey({ eventId, timestamp });
    await using(from, async (inbox) => {
      await keep(inbox, numberedEntry(1));
      await REACH.dead?.(inbox);
      const rejected = {
        key: key("raw_1", REJECTED),
        eventTimestamp: null,
        reason: "invalid_envelope",
      };
      await keep(inbox, numberedEntry(2, 0, { ...rejected, state: "dead" }));
      await keep(
        inbox,
        numberedEntry(3, 0, { key: key("own_3", OWN_IDENTITY), eventTimestamp: AT }),
      );
      await REACH.handled?.(inbox);
      for (const [number, own] of [
        [4, key("own_4", OWN_IDENTITY)],
        [5, key("evt_5", AT - 10)],
      ] as const) {
        await keep(inbox, numberedEntry(number, 0, { key: own }));
        await REACH.handled?.(inbox);
      }
      await keep(inbox, numberedEntry(6, 0, { key: key("evt_6", AT - 10) }));
    });
    const target = await openFileTransfer(into, "own");
    await target.markPruned([{ source: "service", until: AT - 1 }]);
    await target.close();
    await merge(from, into);
    const ids = (await using(into, (inbox) => inbox.list({}))).map((entry) => entry.key.eventId);
    expect(ids).toEqual(["evt_1", "raw_1", "own_3", "evt_6"]);
  });
});
