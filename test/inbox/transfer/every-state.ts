import type { Inbox } from "../../../src/inbox/inbox.ts";
import {
  AT,
  claimOne,
  keep,
  numberedEntry,
  sampleDelivery,
  sampleEntry,
  sampleKey,
  settlementOf,
} from "../entries.ts";

const DAY = 86_400_000;

/** An event that was pruned from the inbox of {@link fillEveryState}. */
export const PRUNED = sampleEntry({
  key: sampleKey({ eventId: "evt_pruned", timestamp: AT - 40 * DAY }),
  eventTimestamp: AT - 40 * DAY,
  delivery: sampleDelivery({ receivedAt: AT - 40 * DAY }),
});

/** Fills an inbox with entries of every state, and with all that can belong to one. */
export async function fillEveryState(inbox: Inbox): Promise<void> {
  await keep(inbox, PRUNED);
  await inbox.settle(settlementOf(await claimOne(inbox)), AT - 40 * DAY);
  const run = { attempt: 1, startedAt: AT, duration: 12.345678901234567 };
  const ok = {
    ...run,
    handler: "a\u0000b",
    outcome: "ok",
    error: null,
    failure: null,
    note: "200 \ud800",
  } as const;
  const failure = { name: "TypeError", at: "a.js:1:2", stack: "TypeError: x\n at a.js" };
  const failed = {
    ...run,
    handler: "second",
    outcome: "error",
    error: "x\u0000",
    failure,
    note: null,
  } as const;
  const wait = {
    target: "http://127.0.0.1:3000/a\u0000",
    since: AT,
    attempts: 3,
    nextAt: AT + 5000,
    over: null,
  };

  await keep(inbox, numberedEntry(1));
  await inbox.settle(
    settlementOf(await claimOne(inbox), { finishedHandlers: ["a\u0000b"], records: [ok] }),
    AT + 1,
  );
  await inbox.touch(sampleKey(), AT + 20);
  await inbox.touch(sampleKey(), AT + 30);

  const invalid = {
    state: "dead",
    reason: "invalid_data",
    problems: [{ path: "data.id", expected: "a string", got: "a number" }],
  };
  await keep(inbox, numberedEntry(2, 0, { orderKey: "o" }));
  await inbox.settle(
    settlementOf(await claimOne(inbox), { ...(invalid as object), records: [failed, ok] }),
    AT + 2,
  );
  await keep(inbox, numberedEntry(3, 0, { kind: "lead.created" }));
  await inbox.settle(
    settlementOf(await claimOne(inbox), { state: "received", reason: "no_handler" }),
    AT + 3,
  );
  const body = Buffer.from([0, 255, 1, 2, 0xc3, 0x28]);
  const rejected = { state: "dead", reason: "not_json", kind: null, eventTimestamp: null } as const;
  const odd = {
    method: "POST",
    target: "/webhooks?a=\ud83d\ude00",
    headers: { b: "2", a: "1" },
    body,
    receivedAt: AT,
  };
  await keep(
    inbox,
    sampleEntry({
      ...rejected,
      key: sampleKey({ source: "crm\u0000", eventId: "\ud800" }),
      delivery: odd,
    }),
  );
  await keep(inbox, numberedEntry(5));
  const waiting = await claimOne(inbox);
  await inbox.settle(
    settlementOf(waiting, {
      state: "waiting",
      reason: "target_away",
      runAt: AT + 50_000,
      finishedHandlers: ["first"],
      records: [failed],
      waits: [wait, { ...wait, target: "b", over: "attempts_exhausted" }],
    }),
    AT + 4,
  );
  await keep(inbox, numberedEntry(6, 0, { orderKey: "k" }));
  await claimOne(inbox); // stays running
  await keep(inbox, numberedEntry(7, 1, { orderKey: "k" }));
  await keep(inbox, numberedEntry(8, 2, { orderKey: "k" }));
  await keep(inbox, numberedEntry(9));
  const failing = {
    state: "failing",
    reason: null,
    runAt: AT + 90_000,
    records: [failed],
  } as const;
  await inbox.settle(settlementOf(await claimOne(inbox), failing), AT + 5);
  const until = AT - 35 * DAY;
  await inbox.prune(
    { states: ["handled"], receivedUntil: until, datedUntil: until },
    { limit: 100 },
  );
  await inbox.slim({ settledUntil: AT + 1 }, { limit: 100 });
}

/** Everything that an inbox says about its entries, through the same methods as any program. */
export async function contentOf(inbox: Inbox) {
  const entries = await inbox.list({});
  const whole = await Promise.all(
    entries.map(async (entry) => {
      const delivery = await inbox.delivery(entry.seq);
      const body = delivery === undefined ? undefined : Buffer.from(delivery.body).toString("hex");
      return { entry, delivery: { ...delivery, body }, runs: await inbox.attempts(entry.seq) };
    }),
  );
  return {
    whole,
    counts: await inbox.counts(),
    waiting: await inbox.waiting({}),
  };
}

/** Keeps two events: the first has ended, the second runs. Returns their leases. */
export async function endedAndRunning(inbox: Inbox) {
  await keep(inbox, numberedEntry(1));
  const ended = await claimOne(inbox);
  await inbox.settle(settlementOf(ended), AT + 1);
  await keep(inbox, numberedEntry(2, 5));
  return { ended, running: await claimOne(inbox, AT + 5, 1e12) };
}
