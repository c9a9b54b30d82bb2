import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createReceiver, type Outcome, type Receiver } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { deliveryOf, envelope, keptLog, SECRET } from "../receiver/sample.ts";
import { type AgedInbox, sha256 } from "./aged-inbox.ts";

/** How a receiver behaved on a damaged inbox. */
export interface Meeting {
  /** The code with which it refused to start. */
  readonly refused?: string;
  /** How many of {@link SENT} deliveries were acknowledged. */
  readonly acknowledged: number;
  /** Acknowledged, handled, and settled as `done`. */
  readonly done: number;
  /** Acknowledged, and at least handled. */
  readonly handled: number;
  /** `receiver.ready` at the end. */
  readonly ready: boolean;
  /** Whether each of a few deliveries at the end was refused with 503. */
  readonly turnsAway: boolean;
  /** Previously due entries: how many ended `done`, as `unreadable` dead letters, or neither. */
  readonly old: { readonly done: number; readonly unreadable: number; readonly left: number };
  /** Faults that are never acceptable, whatever the damage. */
  readonly faults: readonly string[];
}

/** Deliveries sent to a receiver on a damaged inbox. */
export const SENT = 20;

/** Milliseconds that an acknowledged event may take to be handled. */
const PATIENCE = 4000;
/** Milliseconds without progress after which the wait for old entries ends. */
const STALLED = 1500;

/** Starts a receiver on a damaged inbox file, sends deliveries to it, and checks the results. */
export async function meetDamage(
  path: string,
  inbox: Inbox,
  { hashes, due }: AgedInbox,
): Promise<Meeting> {
  const { log, lines } = keptLog();
  const receiver = createReceiver({
    secret: SECRET,
    inbox: handleOf(inbox),
    log,
    poll: 50,
    lease: 1000,
    retry: { attempts: 3, delay: 10, factor: 1 },
  });
  const seen = watch(receiver, hashes);
  try {
    await receiver.start();
  } catch (error) {
    const { code = "no code" } = error as { code?: string };
    const turnsAway = (await send(receiver, "late-", 3)).every(isRefused);
    await receiver.close();
    const old = { done: 0, unreadable: 0, left: due.size };
    return {
      refused: code,
      acknowledged: 0,
      done: 0,
      handled: 0,
      ready: receiver.ready,
      turnsAway,
      old,
      faults: seen.faults,
    };
  }
  const outcomes = await send(receiver, "new-", SENT);
  const acknowledged = outcomes.flatMap(({ type }, index) =>
    type === "accepted" ? [`new-${index}`] : [],
  );
  const doneOf = (ids: Iterable<string>) => [...ids].filter((id) => seen.done.has(id)).length;
  const unreadable = () =>
    seen.dead.filter(({ reason, eventId }) => reason === "unreadable" && due.has(eventId));
  const over = (isTrue: () => boolean) => () => isTrue() || !receiver.ready;
  await progress(
    over(() => doneOf(acknowledged) === acknowledged.length),
    PATIENCE,
  );
  await progress(
    over(() => doneOf(due) + unreadable().length >= due.size),
    PATIENCE,
    () => seen.done.size,
  );
  const ready = receiver.ready;
  const turnsAway = (await send(receiver, "late-", 3)).every(isRefused);
  await receiver.close().catch(() => {});
  const file = ["", "-wal"].map((ending) => readIfThere(path + ending));
  const gone = acknowledged.filter(
    (id) => !seen.done.has(id) && !file.some((bytes) => bytes.includes(`"${id}"`)),
  );
  const told = unreadable().map(({ seq }) => seq);
  const logged = new Set(lines.map(({ fields }) => (fields as { seq?: number }).seq));
  return {
    acknowledged: acknowledged.length,
    done: doneOf(acknowledged),
    handled: acknowledged.filter((id) => seen.ran.has(id)).length,
    ready,
    turnsAway,
    old: { done: doneOf(due), unreadable: told.length, left: due.size - doneOf(due) - told.length },
    faults: [
      ...seen.faults,
      ...outcomes.flatMap(({ type }) =>
        type === "accepted" || type === "unavailable" ? [] : [`answered ${type}`],
      ),
      ...gone.map((id) => `${id} was acknowledged, but is not in the file`),
      ...(new Set(told).size === told.length ? [] : ["an unreadable entry was reported twice"]),
      ...(told.every((seq) => logged.has(seq)) ? [] : ["an unreadable entry was not logged"]),
    ],
  };
}

/** Records which events are handled, settled and given up. */
function watch(receiver: Receiver, hashes: AgedInbox["hashes"]) {
  const seen = {
    ran: new Set<string>(),
    done: new Set<string>(),
    dead: [] as { seq: number; eventId: string; reason: string }[],
    faults: [] as string[],
  };
  receiver.on("*", ({ id }, { delivery }) => {
    seen.ran.add(id);
    const hash = hashes.get(id);
    if (hash !== undefined && hash !== sha256(delivery.body))
      seen.faults.push(`${id} ran with different bytes`);
  });
  receiver.onDead(({ seq, eventId, reason }) => void seen.dead.push({ seq, eventId, reason }));
  receiver.observe((observation) => {
    if (observation.type === "attempt" && observation.state === "handled")
      seen.done.add(observation.eventId);
  });
  return seen;
}

/** Sends distinct events one after another. */
async function send(
  receiver: Receiver,
  prefix: string,
  count: number,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let number = 0; number < count; number++) {
    const now = Date.now();
    const parts = { id: `${prefix}${number}`, timestamp: new Date(now).toISOString() };
    outcomes.push(await receiver.accept(deliveryOf(envelope(parts), undefined, now)));
    await sleep(2);
  }
  return outcomes;
}

function isRefused({ type }: Outcome): boolean {
  return type === "unavailable";
}

/** Waits until a condition is true, for as long as there is progress. */
async function progress(isTrue: () => boolean, patience: number, count = () => 0): Promise<void> {
  let last = count();
  for (let end = Date.now() + patience; Date.now() < end && !isTrue(); await sleep(20)) {
    const now = count();
    if (now > last) end = Date.now() + STALLED;
    last = now;
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.of();
  }
}
