import { readFailures } from "./failures.ts";
import type { HandOnMessage, Send } from "./send.ts";

/** How large batches are, how long they wait, and how many are on their way at a time. */
export interface BatchLimits {
  readonly batchSize: number;
  readonly batchBytes: number;
  readonly linger: number;
  readonly inFlight: number;
}

/** A message that waits for its batch to leave, or to arrive. */
interface Waiting {
  readonly message: HandOnMessage;
  /** Aborted when the message has run out of time. */
  readonly signal: AbortSignal;
  readonly taken: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Gathers messages into batches. A batch leaves once it is full or its oldest message has lingered. While as many as are
 * permitted are on their way, the next one gathers.
 */
export class Batches {
  readonly #send: Send;
  readonly #limits: BatchLimits;
  readonly #queue: Waiting[] = [];
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
   * Resolves once the message was handed on; rejects with the reason if it was not. A message that runs out of time before
   * its batch leaves is withdrawn: it is not sent.
   */
  add(message: HandOnMessage, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#withdraw(waiting);
        reject(signal.reason);
      };
      const taken = () => {
        signal.removeEventListener("abort", withdraw);
        resolve();
      };
      const failed = (error: unknown) => {
        signal.removeEventListener("abort", withdraw);
        reject(error);
      };
      const waiting: Waiting = { message, signal, taken, failed };
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

  #withdraw(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index < 0) return;
    this.#remove(index, 1);
    if (this.#queue.length === 0) this.#waitAnew();
  }

  /** Sends the batches that are ready, as far as permitted, and waits for the others. */
  #depart(): void {
    const { inFlight, linger } = this.#limits;
    while (this.#queue.length > 0 && this.#inFlight < inFlight && (this.#lingered || this.#isFull)) {
      const batch = this.#take();
      this.#waitAnew();
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
  #take(): readonly Waiting[] {
    let size = 0;
    let bytes = 0;
    for (const { message } of this.#queue) {
      bytes += message.delivery.body.length;
      if (size > 0 && (size === this.#limits.batchSize || bytes > this.#limits.batchBytes)) break;
      size++;
    }
    return this.#remove(0, size);
  }

  #remove(index: number, many: number): readonly Waiting[] {
    const removed = this.#queue.splice(index, many);
    for (const { message } of removed) this.#bytes -= message.delivery.body.length;
    return removed;
  }

  /** What is left, or comes next, lingers from now on. */
  #waitAnew(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lingered = false;
  }

  /** Sends a batch and settles its messages. Makes room for the next one when it has arrived, or nobody waits for it. */
  async #carry(batch: readonly Waiting[]): Promise<void> {
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

  async #deliver(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    const messages = batch.map(({ message }) => message);
    try {
      const result = await this.#send(messages, { signal });
      const failures = readFailures(result, new Set(messages.map(({ id }) => id)));
      for (const { message, taken, failed } of batch) {
        if (failures.has(message.id)) failed(failures.get(message.id));
        else taken();
      }
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }
}
