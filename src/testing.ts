/**
 * `hookporter/testing`: sample events, signed requests and a receiver in memory, for the tests of whoever uses
 * hookporter. No sockets, no files; nothing here belongs into production.
 */
import { type RetryPolicy, readRetry } from "./dispatch/retry.ts";
import { HookporterError } from "./errors.ts";
import type { Delivery } from "./event/delivery.ts";
import type { Envelope } from "./event/envelope.ts";
import type { EventKind } from "./event/kinds.ts";
import { type SampleOptions, sampleEvent as sampleAt } from "./event/sample.ts";
import type { DataSchemas } from "./event/schemas.ts";
import { givenOptions } from "./given-options.ts";
import type { AttemptRecord, EntryState } from "./inbox/inbox.ts";
import type { AttemptObservation } from "./receiver/observation.ts";
import type { ReceiverOptions } from "./receiver/options.ts";
import type { Outcome } from "./receiver/outcome.ts";
import { createReceiver, type Receiver } from "./receiver/receiver.ts";
import { readSecrets, type SecretValue } from "./signature/secrets.ts";
import { SIGNATURE_HEADER, sign } from "./signature/sign.ts";

export type { TestingErrorCode } from "./errors.ts";
export type { SampleOptions } from "./event/sample.ts";

/** The secret of every test receiver. It is public, so it protects nothing. */
export const TEST_SECRET = "hookporter-testing-secret-that-everybody-knows";

/** Fails, tries twice more at once, and is dead: a test sees the whole life of an entry without sleeping. */
const TEST_RETRY: RetryPolicy = { attempts: 3, delay: 0, factor: 1, maxDelay: 0, jitter: 0 };

/** Milliseconds `deliver` waits; below the 5 seconds after which vitest gives up on a test, so ours is the error seen. */
const DELIVER_TIMEOUT = 4000;

const nextInstant = strictlyIncreasing(() => Date.now());

/**
 * A sample envelope of a kind, fresh each time, so that it can be changed. Unlike the samples themselves it is dated
 * now, and never twice the same millisecond: two calls make two events. Deliver one envelope twice for a duplicate.
 *
 * Only `data` of `property.created` is documented (service description, "Property"); the rest is made up.
 */
export function sampleEvent(kind: EventKind, options: SampleOptions = {}): Envelope {
  const { timestamp = nextInstant() } = options;
  return sampleAt(kind, { ...options, timestamp });
}

/** A clock that never shows an instant twice, unless it was set back by a minute or more. */
function strictlyIncreasing(clock: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    last = now > last || last - now >= 60_000 ? now : last + 1;
    return last;
  };
}

/** What to sign a request with. */
export interface SigningOptions {
  /** The subscription's secret; must not be empty. */
  readonly secret: SecretValue;
  /** Default `x-service-signature`. */
  readonly signatureHeader?: string;
}

/** A delivery as it goes over the wire: fits `fetch(url, request)`. */
export interface SignedRequest {
  readonly method: "POST";
  /** `content-type` and the signature. */
  readonly headers: Record<string, string>;
  /** Exactly the bytes that were signed. */
  readonly body: Buffer<ArrayBuffer>;
}

/**
 * A request as the service would send it: an envelope as JSON, or bytes as they are, signed (service description,
 * "Authentication" 6). Give bytes to test what is not an envelope; change `body` afterwards to break the signature.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`
 */
export function signedRequest(content: Envelope | Uint8Array, options: SigningOptions): SignedRequest {
  const { secret, signatureHeader = SIGNATURE_HEADER } = options;
  const body = content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(JSON.stringify(content));
  const [usable] = readSecrets(secret);
  const headers = {
    "content-type": "application/json",
    [signatureHeader.toLowerCase()]: sign(body, usable?.key ?? secret),
  };
  return { method: "POST", headers, body };
}

/** A receiver's options, but for the secret and the inbox, which a test receiver brings itself. */
export type TestReceiverOptions<Schemas extends DataSchemas = DataSchemas> = Omit<
  ReceiverOptions<Schemas>,
  "secret" | "inbox"
>;

/** What can be delivered: a kind for a fresh sample of it, an envelope, or bytes. */
export type Deliverable = EventKind | Envelope | Uint8Array;

/** How to deliver. */
export interface DeliverOptions extends SampleOptions {
  /** Signs with another secret than the receiver's, to see it refused. Default: `TEST_SECRET`. */
  readonly secret?: SecretValue;
  /** Milliseconds to wait for the handlers, retries included. Default 4000. */
  readonly timeout?: number;
}

/** What became of a delivery, once its handlers ran. */
export interface Delivered {
  /** What the sender was told; `outcome.type` is `accepted`, `rejected`, `unauthorized` … */
  readonly outcome: Outcome;
  /** Where the entry ended: `done`, `dead` or `unhandled`; `undefined` where none was kept. */
  readonly state: EntryState | undefined;
  /** Why it ended there, for `dead` and `unhandled`, as a stable code. */
  readonly reason: string | null;
  /** Every run of every handler, oldest first; those of earlier deliveries of the same event included. */
  readonly attempts: readonly AttemptRecord[];
}

/** A started receiver on the memory inbox, with a way in that needs no HTTP. Give it to an adapter to test that too. */
export interface TestReceiver<Schemas = object> extends Receiver<Schemas> {
  /**
   * Signs, accepts, and waits until the entry has ended. Takes a kind for a fresh sample, an envelope, or bytes.
   * `data` and `timestamp` change a sample; they do nothing to an envelope or bytes.
   *
   * @throws HookporterError `timed_out` when the entry has not ended in time, such as when a handler never returns
   */
  deliver(what: Deliverable, options?: DeliverOptions): Promise<Delivered>;
}

/**
 * A started receiver for tests: memory inbox, `TEST_SECRET`, three attempts without a pause, at most a second for
 * running handlers on `close()`. Every option of a receiver takes the place of these. Close it when the test is over.
 *
 * @throws ConfigurationError as `createReceiver` does
 */
export async function createTestReceiver<const Schemas extends DataSchemas = Record<never, never>>(
  options: TestReceiverOptions<Schemas> = {},
): Promise<TestReceiver<NoInfer<Schemas>>> {
  const receiver = createReceiver<Schemas>({
    drainTimeout: 1000,
    ...givenOptions(options),
    retry: readRetry(options.retry, TEST_RETRY),
    secret: TEST_SECRET,
    inbox: "memory:",
  });
  await receiver.start();
  const { clock = Date.now, signatureHeader = SIGNATURE_HEADER } = options;
  const instant = options.clock === undefined ? nextInstant : strictlyIncreasing(clock);
  const make: Make = (what, { secret = TEST_SECRET, ...sample }) => {
    const content = typeof what === "string" ? sampleAt(what, { timestamp: instant(), ...sample }) : what;
    const { method, headers, body } = signedRequest(content, { secret, signatureHeader });
    return { method, target: "/webhooks", headers, body, receivedAt: clock() };
  };
  return Object.assign(receiver, {
    deliver: (what: Deliverable, how: DeliverOptions = {}) =>
      deliver(receiver, make(what, how), how.timeout ?? DELIVER_TIMEOUT),
  });
}

type Make = (what: Deliverable, how: DeliverOptions) => Delivery;

/** The part of a receiver that does not depend on the caller's schemas. */
type Way = Pick<Receiver, "accept" | "observe" | "inbox">;

async function deliver(receiver: Way, delivery: Delivery, timeout: number): Promise<Delivered> {
  const ends = watchEnds(receiver); // before accepting: handlers may be through before we hear of the outcome
  try {
    const outcome = await receiver.accept(delivery);
    if (outcome.type !== "accepted" && outcome.type !== "rejected") {
      return { outcome, state: undefined, reason: null, attempts: [] };
    }
    const { seq } = outcome;
    let entry = await findEntry(receiver, seq);
    if (entry?.state === "pending" || entry?.state === "running") {
      await ends.of(seq, timeout);
      entry = await findEntry(receiver, seq);
    }
    const attempts = await receiver.inbox.attempts(seq);
    return { outcome, state: entry?.state, reason: entry?.reason ?? null, attempts };
  } finally {
    ends.stop();
  }
}

async function findEntry({ inbox }: Way, seq: number) {
  return (await inbox.list({ seq }))[0];
}

/** Remembers which entries ended from now on, and waits for one. */
function watchEnds(receiver: Way) {
  const ended = new Set<number>();
  let onEnd: (() => void) | undefined;
  const stop = receiver.observe((observation) => {
    if (observation.type !== "attempt" || !isEnd(observation)) return;
    ended.add(observation.seq);
    onEnd?.();
  });
  const of = (seq: number, timeout: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        const message = `expected entry ${seq} to end within ${timeout} ms: does a handler never return?`;
        reject(new HookporterError("timed_out", message));
      }, timeout);
      onEnd = () => {
        if (!ended.has(seq)) return;
        clearTimeout(timer);
        resolve();
      };
      onEnd();
    });
  return { of, stop };
}

function isEnd({ state }: AttemptObservation): boolean {
  return state === "done" || state === "dead" || state === "unhandled";
}
