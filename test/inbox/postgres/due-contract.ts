import { expect, it } from "vitest";
import type { Inbox, OpenTerms } from "../../../src/inbox/inbox.ts";
import { until } from "../../receiver/sample.ts";
import { AT, claimOne, keep, numberedEntry, sampleRunner, settlementOf } from "../entries.ts";

type Due = readonly [name: string, prepare: (inbox: Inbox) => Promise<() => Promise<unknown>>];

/** Two entries of one order key: the first is leased, and the second waits behind it. */
async function held(inbox: Inbox) {
  for (const number of [1, 2]) await keep(inbox, numberedEntry(number, number, { orderKey: "k" }));
  return claimOne(inbox, AT + 10);
}

/**
 * All that makes entries due before their time. Each prepares an inbox, and resolves to the change.
 */
const DUE: readonly Due[] = [
  ["keeping an entry", async (inbox) => () => keep(inbox, numberedEntry(1))],
  [
    "a retry",
    async (inbox) => {
      await keep(inbox, numberedEntry(1, 0, { state: "dead", reason: "too_old" }));
      return () => inbox.retry({}, AT);
    },
  ],
  [
    "a reschedule",
    async (inbox) => {
      await keep(inbox, numberedEntry(1, 0, { runAt: AT + 60_000 }));
      return () => inbox.reschedule({}, AT);
    },
  ],
  [
    "a handler for what waits for one",
    async (inbox) => {
      await keep(inbox, numberedEntry(1));
      const entry = await claimOne(inbox);
      const waits = { state: "waiting", reason: "no_handler", runAt: AT + 60_000 } as const;
      await inbox.settle(settlementOf(entry, waits), AT);
      return () => inbox.register(sampleRunner(), AT);
    },
  ],
  [
    "giving an entry back",
    async (inbox) => {
      await keep(inbox, numberedEntry(1));
      const entry = await claimOne(inbox);
      return () =>
        inbox.settle(settlementOf(entry, { state: "waiting", runAt: AT, uncount: true }), AT);
    },
  ],
  [
    "dropping an entry that holds another back",
    async (inbox) => {
      const first = await held(inbox);
      await inbox.settle(settlementOf(first, { state: "failing", runAt: AT + 60_000 }), AT);
      return () => inbox.drop({ seq: first.seq }, AT);
    },
  ],
  [
    "the end of an entry that holds another back",
    async (inbox) => {
      const first = await held(inbox);
      return () => inbox.settle(settlementOf(first), AT);
    },
  ],
  [
    "the end, in a handler's transaction, of an entry that holds another back",
    async (inbox) => {
      const first = await held(inbox);
      const terms = { now: () => AT, timeout: 1000, isLeased: () => true };
      return () => inbox.inside(async () => settlementOf(first), terms);
    },
  ],
];

/**
 * What makes an entry due wakes the receivers of all processes. The inboxes are not registered, so
 * that nothing is found by looking around.
 *
 * @param openTwo - opens inboxes of two processes on the same empty schema, and closes them after
 * the test
 */
export function describeDue(
  name: string,
  openTwo: (own: OpenTerms, other: OpenTerms) => Promise<readonly [Inbox, Inbox]>,
): void {
  it.each(DUE)(`on ${name}, %s wakes this process and another`, async (_, prepare) => {
    const woken: string[] = [];
    const terms = (who: string) => ({ onDue: () => void woken.push(who) });
    const [own, other] = await openTwo(terms("own"), terms("other"));
    await until(() => expect([own.supportsNotify, other.supportsNotify]).toEqual([true, true]));
    const change = await prepare(own);
    await new Promise((resolve) => setTimeout(resolve, 100)); // what prepared it has been heard
    woken.length = 0;
    await change();
    expect(await own.nextRunAt()).toBeLessThanOrEqual(AT + 10);
    await until(() => expect(new Set(woken)).toEqual(new Set(["own", "other"])));
  });
}
