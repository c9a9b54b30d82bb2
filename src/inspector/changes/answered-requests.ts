import { RequestError } from "../answer.ts";

/** How many requests are remembered, and for how many milliseconds after the last use. */
export const MOST = 200;
export const KEPT = 600_000;

interface Remembered {
  /** What was requested: an id must not stand for two different requests. */
  readonly content: string;
  readonly result: Promise<unknown>;
  isRunning: boolean;
  usedAt: number;
}

/**
 * The results of recent requests with an id. A page whose connection was cut cannot know whether its request had an effect:
 * it sends the same id again, and gets the result of the first request, also while that one is still running.
 */
export class AnsweredRequests {
  /** The least recently used one first. */
  readonly #byId = new Map<string, Remembered>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Does the work unless a request with this id did, and returns its result.
   *
   * @throws RequestError 409 if the id stands for other content; whatever the work throws
   */
  async once(id: string, content: string, work: () => Promise<unknown>): Promise<unknown> {
    this.#dropOld();
    const known = this.#byId.get(id);
    if (known !== undefined && known.content !== content) {
      const message =
        "expected the content that came with this Idempotency-Key before, got another: use a new key";
      throw new RequestError(409, "idempotency_key_reused", message);
    }
    const remembered = known ?? this.#begin(content, work);
    remembered.usedAt = this.#clock();
    this.#byId.delete(id);
    this.#byId.set(id, remembered);
    return remembered.result;
  }

  #begin(content: string, work: () => Promise<unknown>): Remembered {
    const result = work();
    const remembered = { content, result, isRunning: true, usedAt: 0 };
    const ended = () => {
      remembered.isRunning = false;
    };
    result.then(ended, ended);
    return remembered;
  }

  /** Makes room. What is running is kept: forgetting it would let it run twice. */
  #dropOld(): void {
    const now = this.#clock();
    for (const [id, { isRunning, usedAt }] of this.#byId) {
      if (isRunning) continue;
      if (this.#byId.size >= MOST || now - usedAt >= KEPT) this.#byId.delete(id);
    }
  }
}
