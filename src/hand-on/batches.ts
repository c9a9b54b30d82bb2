import { isRecord } from "../base/guards.ts";
import { invalid } from "../base/options/check-options.ts";
import type { HandOnMessage, Send } from "./send.ts";

/** How large batches are, how long they wait, and how many are on their way at a time. */
type BatchLimits = Readonly<Record<"batchSize" | "batchBytes" | "linger" | "inFlight", number>>;

/** A message that waits for its batch to leave, or to arrive. */
interface QueuedMessage {
  readonly message: HandOnMessage;
  /** Aborted when the message has run out of time. */
  readonly signal: AbortSignal;
  /** Called when it was handed on, or with the reason that it was not. */
  readonly settled: (error?: { readonly reason: unknown }) => void;
}

/**
 * Gathers messages into batches. A batch leaves once it is full or its oldest message has lingered.
 * While as many as are permitted are on their way, the next one gathers.
 */
export class OutgoingBatches {
  readonly #send: Send;
  readonly #limits: BatchLimits;
  readonly #queue: QueuedMessage[] = [];
  /** Bytes of the bodies in the queue. */
  #bytes = 0;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the queue has waited for others long enough. */
  #lingered = false;

  constructor(send: Send, limits: BatchLimits) {
    this.#send = send;
    this.#limits = limits;
  }

  /**
   * Resolves once the message was handed on; rejects with the reason if it was not. A message that
   * runs out of time before its batch leaves is withdrawn: it is not sent.
   */
  add(message: HandOnMessage, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#withdraw(waiting);
        reject(signal.reason);
      };
      const settled = (error?: { readonly reason: unknown }) => {
        signal.removeEventListener("abort", withdraw);
        if (error === undefined) resolve();
        else reject(error.reason);
      };
      const waiting: QueuedMessage = { message, signal, settled };
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener("abort", withdraw);
      this.#queue.push(waiting);
      this.#bytes += message.delivery.body.length;
      this.#depart();
    });
  }

  #withdraw(waiting: QueuedMessage): void {
    const index = this.#queue.indexOf(waiting);
    if (index < 0) return;
    this.#remove(index, 1);
    if (this.#queue.length === 0) this.#restartWait();
  }

  /** Sends the batches that are ready, as far as permitted, and waits for the others. */
  #depart(): void {
    const { inFlight, linger } = this.#limits;
    while (
      this.#queue.length > 0 &&
      this.#inFlight < inFlight &&
      (this.#lingered || this.#isFull)
    ) {
      const batch = this.#take();
      this.#restartWait();
      void this.#carry(batch);
    }
    if (this.#queue.length === 0 || this.#lingered) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#lingered = true;
      this.#depart();
    }, linger);
  }

  get #isFull(): boolean {
    return this.#queue.length >= this.#limits.batchSize || this.#bytes >= this.#limits.batchBytes;
  }

  /** The oldest messages that fit into a batch, one at least. */
  #take(): readonly QueuedMessage[] {
    let size = 0;
    let bytes = 0;
    for (const { message } of this.#queue) {
      bytes += message.delivery.body.length;
      if (size > 0 && (size === this.#limits.batchSize || bytes > this.#limits.batchBytes)) break;
      size++;
    }
    return this.#remove(0, size);
  }

  #remove(index: number, many: number): readonly QueuedMessage[] {
    const removed = this.#queue.splice(index, many);
    for (const { message } of removed) this.#bytes -= message.delivery.body.length;
    return removed;
  }

  /** What is left, or comes next, lingers from now on. */
  #restartWait(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lingered = false;
  }

  /**
   * Sends a batch and settles its messages. Makes room for the next one when it has arrived, or
   * nobody waits for it.
   */
  async #carry(batch: readonly QueuedMessage[]): Promise<void> {
    this.#inFlight++;
    const aborter = new AbortController();
    let hasArrived = false;
    let awaited = batch.length;
    const abandoned = new Promise<void>((resolve) => {
      for (const { signal } of batch) {
        signal.addEventListener("abort", () => {
          if (hasArrived) return;
          aborter.abort(signal.reason);
          awaited--;
          if (awaited === 0) resolve();
        });
      }
    });
    await Promise.race([this.#deliver(batch, aborter.signal), abandoned]);
    hasArrived = true;
    this.#inFlight--;
    this.#depart();
  }

  async #deliver(batch: readonly QueuedMessage[], signal: AbortSignal): Promise<void> {
    const messages = batch.map(({ message }) => message);
    try {
      const result = await this.#send(messages, { signal });
      const failures = readFailures(result, new Set(messages.map(({ id }) => id)));
      for (const { message, settled } of batch) settled(failures.get(message.id));
    } catch (reason) {
      for (const { settled } of batch) settled({ reason });
    }
  }
}

/**
 * What `send` returned, as errors by message id.
 *
 * @throws ConfigurationError `option_invalid` if it returned anything but nothing or failures of
 * this batch: nobody knows then what was handed on
 */
function readFailures(
  result: unknown,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, { readonly reason: unknown }> {
  if (result === undefined) return new Map();
  if (!Array.isArray(result)) throw misread(result);
  const failures = new Map<string, { readonly reason: unknown }>();
  for (const failure of result) {
    if (!isRecord(failure) || typeof failure.id !== "string" || !("error" in failure))
      throw misread(failure);
    if (!ids.has(failure.id)) {
      throw invalid("send to name messages of its batch", failure.id, "return their own id");
    }
    failures.set(failure.id, { reason: failure.error });
  }
  return failures;
}

function misread(given: unknown) {
  return invalid(
    "send to return nothing or a list of { id, error }",
    given,
    "return nothing if all messages were handed on",
  );
}
