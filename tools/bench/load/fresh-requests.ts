import type { LoadResult } from "./load.ts";
import type { Requests } from "./request-file.ts";

/** Requests and bytes per second that are written for the first load. */
const FIRST_REQUESTS = 60_000;
const FIRST_BYTES = 200_000_000;

/**
 * The factor by which a load may be faster than the fastest before it, and the seconds that it may
 * take longer than asked.
 */
const QUICKER = 2;
const LONGER = 0.2;

/** Times that a load is repeated, with requests for twice the pace of the one before. */
const REPEATS = 5;

/** A file of requests that grows on demand. */
export interface GrowingFile {
  /** Adds requests until there are `count`. */
  upTo(count: number): Requests;
}

/** The requests of a file that a server has not received yet. */
export class FreshRequests {
  readonly #file: GrowingFile;
  #next = 0;
  /** Requests per second for which requests are written. */
  #pace: number;
  #fastest = 0;

  /** @param size - bytes of a body */
  constructor(file: GrowingFile, size: number) {
    this.#file = file;
    this.#pace = Math.min(FIRST_REQUESTS, FIRST_BYTES / size);
  }

  /**
   * Sends a load that consists of new requests only. How many it needs depends on the machine, so
   * they are written in advance for a multiple of the pace so far. If that was not enough, and
   * requests were sent twice, the load is repeated with more.
   *
   * @param send - sends a load from the file, from its request number `first` on
   */
  async send<Result extends Pick<LoadResult, "sent" | "seconds">>(
    { connections, seconds }: { readonly connections: number; readonly seconds: number },
    send: (file: Requests, first: number) => Promise<Result>,
  ): Promise<Result> {
    for (let times = 0; times <= REPEATS; times++) {
      const first = this.#next;
      const most = Math.ceil(this.#pace * (seconds + LONGER)) + 2 * connections;
      const file = this.#file.upTo(first + most);
      const result = await send(file, first);
      this.#fastest = Math.max(this.#fastest, result.sent / result.seconds);
      this.#pace = QUICKER * this.#fastest;
      this.#next = first + result.sent;
      if (this.#next <= file.count) return result;
    }
    throw new Error(
      `expected a load to need no more requests than were written, but it did ${REPEATS + 1} times`,
    );
  }
}
