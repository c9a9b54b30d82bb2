import type { NamedHandler } from "../../src/dispatch/plan/handler.ts";
import type { RetryPolicy } from "../../src/entries/client.ts";
import type {
  DeadLetter,
  Handler,
  HandlerOptions,
  HandlerRegistry,
  ReceiverOptions,
} from "../../src/entries/index.ts";
import type { NewEntry } from "../../src/inbox/append.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import type { DeliveryObservation } from "../../src/receiver/observation.ts";
import { sampleEntry, sampleKey } from "../inbox/entries.ts";
import { makeReceiver } from "../receiver/open.ts";
import { deliveryOf, envelope } from "../receiver/sample.ts";

/** Three attempts with short delays. */
export const QUICK: RetryPolicy = { attempts: 3, delay: 2, factor: 1, maxDelay: 5, jitter: 0 };

/** Handlers of all kinds by name, or with their options. */
type Handlers = Readonly<Record<string, Handler>> | readonly NamedHandler[];

/** An inbox in memory that other processes could share: to open it ends no lease. */
export function sharedInbox(inbox = memoryInbox()): Inbox {
  return Object.assign(inbox, { open: async () => {} });
}

/**
 * Starts a receiver with these handlers, whose clock is `Date`. It is closed when the test ends,
 * without waiting for handlers.
 */
export async function openRuns(
  given: Handlers,
  options: Partial<ReceiverOptions> = {},
  inbox = sharedInbox(),
) {
  const made = makeRuns(given, options, inbox);
  await made.receiver.start();
  return made;
}

/** The same, before it is started. */
export function makeRuns(
  given: Handlers,
  options: Partial<ReceiverOptions> = {},
  inbox = sharedInbox(),
) {
  const named = Array.isArray(given)
    ? (given as readonly NamedHandler[])
    : Object.entries(given).map(([name, handler]) => ({ name, handler }) as NamedHandler);
  const dead: DeadLetter[] = [];
  const made = makeReceiver({
    inbox: handleOf(inbox),
    clock: () => Date.now(),
    retry: QUICK,
    random: () => 0,
    drainTimeout: 0,
    orderBy: ({ data }) => data.key as string | undefined,
    handlers: (registry: HandlerRegistry) => {
      for (const { handler, ...rest } of named)
        registry.on("*", handler as Handler, rest as HandlerOptions);
      registry.onDead((letter) => void dead.push(letter));
    },
    ...options,
  });
  const { receiver, entries, seen } = made;
  const deliver = (number: number, key?: string) =>
    receiver.accept(numberedDelivery(number, Date.now(), key));
  const states = async () => (await entries()).map(({ state }) => state);
  /** The attempts that observers heard of. */
  const attempts = () =>
    seen.filter(
      (observation): observation is Exclude<typeof observation, DeliveryObservation> =>
        observation.type === "attempt",
    );
  return { ...made, inbox, dead, deliver, states, attempts };
}

/** A signed delivery of the event with this number. */
export function numberedDelivery(number: number, receivedAt: number, key?: string) {
  const timestamp = new Date(receivedAt).toISOString();
  const event = envelope({ id: `evt_${number}`, timestamp, data: { number, key } });
  return deliveryOf(event, undefined, receivedAt);
}

/** An entry as a receiver keeps it, for an inbox whose receiver has not started. */
export function storedEntry(
  number: number,
  { at = Date.now(), source = "service", ...parts }: StoredParts = {},
): NewEntry {
  return sampleEntry({
    key: sampleKey({ eventId: `evt_${number}`, timestamp: at, source }),
    delivery: numberedDelivery(number, at),
    ...parts,
  });
}

interface StoredParts extends Partial<NewEntry> {
  readonly at?: number;
  readonly source?: string;
}
