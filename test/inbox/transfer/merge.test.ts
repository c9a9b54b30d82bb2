import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWN_IDENTITY, REJECTED } from "../../../src/event/identity.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import type { Settlement } from "../../../src/inbox/settlement.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import type { CopyTerms } from "../../../src/inbox/transfer/copy.ts";
import { mergeInbox } from "../../../src/inbox/transfer/merge.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, claimOne, keep, numberedEntry, RUN, sampleKey, settlementOf } from "../entries.ts";
import { using } from "../sqlite/opened.ts";
import { contentOf, endedAndRunning, fillEveryState, PRUNED } from "./every-state.ts";

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
  received: async (inbox) =>
    inbox.settle(
      settlementOf(await claimOne(inbox), { state: "received", reason: "no_handler" }),
      AT,
    ),
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

  it("adds nothing that was handled and pruned here, but what waits, dead letters, which nothing prunes unasked, newer events, also by the user's own identity, and those of another source", async () => {
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
      for (const [number, own, eventTimestamp] of [
        [4, key("own_4", OWN_IDENTITY), AT - 10],
        [5, key("evt_5", AT - 1), AT - 1],
        [7, key("evt_7", AT), AT],
        [8, sampleKey({ source: "shop", eventId: "evt_8", timestamp: AT - 10 }), AT - 10],
      ] as const) {
        await keep(inbox, numberedEntry(number, 0, { key: own, eventTimestamp }));
        await REACH.handled?.(inbox);
      }
      await keep(inbox, numberedEntry(6, 0, { key: key("evt_6", AT - 10) }));
    });
    const target = await openFileTransfer(into, "own");
    await target.markPruned([{ source: "service", until: AT - 1 }]);
    await target.close();
    await merge(from, into);
    const ids = (await using(into, (inbox) => inbox.list({}))).map((entry) => entry.key.eventId);
    expect(ids).toEqual(["evt_1", "raw_1", "own_3", "evt_7", "evt_8", "evt_6"]);
  });

  it("lets an entry that ran there run at once, and takes no result of its old lease", async () => {
    const { from, into } = paths();
    const { running } = await using(from, endedAndRunning);
    expect(await merge(from, into)).toMatchObject({ entries: 2, added: 2 });
    await using(into, async (inbox) => {
      expect(await inbox.settle(settlementOf(running), AT)).toBe(false);
      expect(await inbox.list({ seq: 2 })).toMatchObject([
        { state: "failing", runAt: AT + 5, attempts: 1 },
      ]);
      expect(await inbox.claim({ now: AT + 5, limit: 9, leaseTime: 1000 })).toMatchObject([
        { seq: 2, attempts: 2 },
      ]);
    });
  });

  it("keeps all repeats of an event that got further there, and when it was last seen", async () => {
    const { from, into } = paths();
    const events = [numberedEntry(1), numberedEntry(2)];
    const end = async (inbox: Inbox, handler: string, parts: Partial<Settlement> = {}) => {
      const records = [{ ...RUN, handler, note: handler }];
      for (const entry of await inbox.claim({ now: AT, limit: 9, leaseTime: 1000 }))
        await inbox.settle(settlementOf(entry, { records, ...parts }), AT);
    };
    await using(from, async (inbox) => {
      for (const event of events) await keep(inbox, event);
      for (const later of [10, 20]) await inbox.touch(sampleKey({ eventId: "evt_1" }), AT + later);
      await inbox.touch(sampleKey({ eventId: "evt_2" }), AT + 90);
      await end(inbox, "there");
    });
    await using(into, async (inbox) => {
      for (const event of events) await keep(inbox, event);
      await inbox.touch(sampleKey({ eventId: "evt_1" }), AT + 90);
      for (const later of [10, 20]) await inbox.touch(sampleKey({ eventId: "evt_2" }), AT + later);
      await end(inbox, "here", { state: "dead", reason: "attempts_exhausted" });
    });
    expect(await merge(from, into)).toMatchObject({ advanced: 2 });
    await using(into, async (inbox) => {
      expect(await inbox.list({})).toMatchObject([
        { seq: 1, state: "handled", duplicates: 2, lastSeenAt: AT + 90 },
        { seq: 2, state: "handled", duplicates: 2, lastSeenAt: AT + 90 },
      ]);
      for (const seq of [1, 2]) {
        expect((await inbox.attempts(seq)).map(({ handler }) => handler)).toEqual(["there"]);
        expect(await inbox.delivery(seq)).toBeDefined();
      }
    });
  });
});
