/**
 * A test's options and handlers come in. Signed requests go out, and what the handlers did. No
 * network or disk is used.
 */

import { HookporterError } from "../base/errors.ts";
import { invalidOption } from "../base/options/check-options.ts";
import { givenOptions } from "../base/options/given-options.ts";
import { type RetryPolicy, readRetry } from "../base/options/retry.ts";
import { timerDelay } from "../base/options/timer-delay.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { Envelope } from "../event/envelope.ts";
import type { EventKind } from "../event/kinds.ts";
import { type SampleOptions, sampleEvent as sampleAt } from "../event/sample.ts";
import type { DataSchemas } from "../event/schemas.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import { type EntryState, hasEnded } from "../inbox/entry-state.ts";
import { problemsOf } from "../inbox/failures.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { memoryInbox, type TestTransactions } from "../inbox/memory.ts";
import { handleOf } from "../inbox/shared/handle.ts";
import { createReceiver } from "../receiver/create-receiver.ts";
import { inboxOf } from "../receiver/inbox-view.ts";
import type { ReceiverOptions } from "../receiver/options/receiver-options.ts";
import type { Outcome } from "../receiver/outcome.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { SecretValue } from "../signature/secret-bytes.ts";
import { SIGNATURE_HEADER } from "../signature/signature-format.ts";
import { nextInstant, strictlyIncreasing, TEST_SECRET } from "./sample-event.ts";
import { signedRequest } from "./signed-request.ts";

/** Three attempts without delays, so that a test sees an entry's whole life without waiting. */
const TEST_RETRY: RetryPolicy = { attempts: 3, delay: 0, factor: 1, maxDelay: 0, jitter: 0 };

/**
 * Milliseconds. Below vitest's limit of 5 seconds, so that a test fails with our error rather than
 * vitest's.
 */
export const DELIVER_TIMEOUT = 4000;

/** A receiver's options, without `secret` and `inbox`, which a test receiver sets itself. */
export type TestReceiverOptions<
  Schemas extends DataSchemas = Record<never, never>,
  OtherKinds extends string = never,
> = Omit<ReceiverOptions<Schemas, OtherKinds>, "secret" | "inbox"> & {
  /**
   * Runs a function in a transaction, and passes what handlers with `tx: true` get as `tx`. It
   * commits if the function resolves, and rolls back if it rejects. Default: such handlers are
   * refused.
   */
  readonly transaction?: TestTransactions | undefined;
  /**
   * Runs the handlers of each entry twice, as after a crash between their effects and the record of
   * them: a test then sees whether they are safe to run twice. Not those with `tx`, whose effects a
   * crash rolls back. Default: false.
   */
  readonly twice?: boolean | undefined;
};

/** What to deliver: a kind, for a new sample of it, an envelope, or bytes. */
export type Deliverable = EventKind | Envelope | Uint8Array;

/** How to deliver. */
export interface DeliverOptions extends SampleOptions {
  /**
   * Signs with another secret than the receiver's, to test that it is refused. Default:
   * `TEST_SECRET`.
   */
  readonly secret?: SecretValue;
  /** Milliseconds to wait for the handlers, including retries. Default 4000. */
  readonly timeout?: number;
}

/** The result of a delivery after its handlers have run. */
export interface Delivered {
  /**
   * The receiver's decision; `outcome.type` is `accepted`, `rejected`, `unauthorized` and so on.
   */
  readonly outcome: Outcome;
  /** The entry's final state: `handled`, `dead` or `received`; `undefined` if there is no entry. */
  readonly state: EntryState | undefined;
  /** The reason for `dead` and `received`, as a stable code. */
  readonly reason: string | null;
  /** Which fields do not fit, and how; and numbers that a double does not hold. */
  readonly problems: readonly DataProblem[];
  /** Every handler run, oldest first, including those of earlier deliveries of the same event. */
  readonly attempts: readonly AttemptRecord[];
}

/**
 * A started receiver on the memory inbox that can be used without HTTP. Pass it to an adapter to
 * test that too.
 */
export interface TestReceiver<Schemas = object, OtherKinds extends string = never>
  extends Receiver<Schemas, OtherKinds> {
  /**
   * Signs and accepts a delivery, and waits until its entry has ended. Takes a kind, for a new
   * sample, an envelope, or bytes. `data` and `timestamp` apply to samples only.
   *
   * @throws HookporterError `timed_out` if the entry has not ended in time, for example because a
   * handler never returns
   */
  deliver(what: Deliverable, options?: DeliverOptions): Promise<Delivered>;
}

/**
 * Creates and starts a receiver for tests: memory inbox, `TEST_SECRET`, three attempts without
 * delays, at most a second for running handlers on `close()`. A receiver's options override these
 * defaults. Close it after the test.
 *
 * @throws ConfigurationError as `createReceiver` does
 *
 * @example
 * ```ts
 * import { createTestReceiver } from "hookporter/testing";
 *
 * const receiver = await createTestReceiver();
 * receiver.on("payment.received", (event) => console.log(event.data));
 * const { state } = await receiver.deliver("payment.received", { data: { amount: "12.00" } });
 * console.log(state); // handled
 * await receiver.close();
 * ```
 */
export async function createTestReceiver<
  const Schemas extends DataSchemas = Record<never, never>,
  const OtherKinds extends string = never,
>({
  transaction,
  twice = false,
  ...given
}: TestReceiverOptions<Schemas, OtherKinds> = {}): Promise<
  TestReceiver<NoInfer<Schemas>, NoInfer<OtherKinds>>
> {
  const options = given as ReceiverOptions<Schemas, OtherKinds>;
  if ((options.secret ?? options.inbox) !== undefined)
    throw invalidOption(
      "expected no secret and no inbox, which a test receiver has, got one: remove it",
    );
  const receiver = createReceiver<Schemas, OtherKinds>({
    drainTimeout: 1000,
    ...(twice && { poll: TWICE_POLL }),
    ...givenOptions(options),
    retry: readRetry(options.retry, TEST_RETRY),
    secret: TEST_SECRET,
    inbox: handleOf(twice ? crashingOnce(memoryInbox(transaction)) : memoryInbox(transaction)),
  });
  await receiver.start();
  const { clock = () => Date.now(), signatureHeader = SIGNATURE_HEADER } = options;
  const instant = options.clock === undefined ? nextInstant : strictlyIncreasing(clock);
  const make: Make = (what, { secret = TEST_SECRET, ...sample }) => {
    const content =
      typeof what === "string" ? sampleAt(what, { timestamp: instant(), ...sample }) : what;
    const { method, headers, body } = signedRequest(content, { secret, signatureHeader });
    return { method, target: "/webhooks", headers, body, receivedAt: clock() };
  };
  return Object.assign(receiver, {
    deliver: (what: Deliverable, how: DeliverOptions = {}) =>
      deliver(receiver, make(what, how), how.timeout ?? DELIVER_TIMEOUT),
  });
}

/** Milliseconds until an entry whose process crashed is found again. */
const TWICE_POLL = 10;

/**
 * An inbox that loses the first success of each entry, as if the process had ended before it was
 * recorded.
 */
function crashingOnce(inbox: Inbox): Inbox {
  const crashed = new Set<number>();
  const settle: Inbox["settle"] = async (result, now) => {
    if (result.state !== "handled" || crashed.has(result.seq)) return inbox.settle(result, now);
    crashed.add(result.seq);
    const again = {
      state: "waiting",
      runAt: now,
      finishedHandlers: [],
      records: [],
      uncount: true,
    } as const;
    await inbox.settle({ ...result, ...again }, now);
    return false; // the lease is gone, as it is for a process that has ended
  };
  return new Proxy(inbox, {
    get: (target, name) => {
      if (name === "settle") return settle;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

type Make = (what: Deliverable, how: DeliverOptions) => Delivery;

/** The part of a receiver that does not depend on the caller's schemas. */
type UntypedReceiver = Pick<Receiver, "accept" | "observe" | "inbox">;

async function deliver(
  receiver: UntypedReceiver,
  delivery: Delivery,
  timeout: number,
): Promise<Delivered> {
  // before accepting, since handlers may finish before the outcome is known
  const ends = watchEnds(receiver);
  try {
    const outcome = await receiver.accept(delivery);
    if (outcome.type !== "accepted" && outcome.type !== "rejected") {
      return { outcome, state: undefined, reason: null, problems: [], attempts: [] };
    }
    const { seq } = outcome;
    let entry = await findEntry(receiver, seq);
    if (entry !== undefined && !hasEnded(entry.state)) {
      await ends.of(seq, timeout);
      entry = await findEntry(receiver, seq);
    }
    const attempts = await inboxOf(receiver).attempts(seq);
    const reason = entry?.reason ?? null;
    const problems = problemsOf(entry ?? { problems: [] }, delivery);
    const state = entry?.state;
    return { outcome, state, reason, problems, attempts };
  } finally {
    ends.stop();
  }
}

async function findEntry(receiver: UntypedReceiver, seq: number) {
  return (await inboxOf(receiver).list({ seq }))[0];
}

/** Records which entries end from now on, and can wait for one. */
function watchEnds(receiver: UntypedReceiver) {
  const ended = new Set<number>();
  let onEnd: (() => void) | undefined;
  const stop = receiver.observe((observation) => {
    if (observation.type !== "attempt" || !hasEnded(observation.state)) return;
    ended.add(observation.seq);
    onEnd?.();
  });
  const of = (seq: number, timeout: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        const message = `expected entry ${seq} to end within ${timeout} ms, but it did not: does a handler never return? Raise timeout if it is slow`;
        reject(new HookporterError("timed_out", message));
      }, timerDelay(timeout));
      onEnd = () => {
        if (!ended.has(seq)) return;
        clearTimeout(timer);
        resolve();
      };
      onEnd();
    });
  return { of, stop };
}
