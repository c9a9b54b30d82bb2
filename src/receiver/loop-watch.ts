import type { Logger } from "../base/logger.ts";
import { unref } from "../base/stand-ins.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Settlement } from "../inbox/settlement.ts";

/** Milliseconds between two looks. */
const LOOK = 500;

/**
 * Milliseconds without a turn of the event loop from which the log says so: nothing is received or
 * answered meanwhile.
 */
export const BLOCKED = 2000;

/** Only this many entries are named. */
const NAMED = 5;

type Named = Pick<ClaimedEntry, "seq" | "kind">;

/**
 * Says in the log that the event loop stood still, once it runs again, and which entries ran
 * meanwhile: a handler that computes for long, or waits without a promise, keeps senders from being
 * answered. One timer, however many entries run.
 */
export class LoopWatch {
  readonly #log: Logger;
  readonly #running: () => readonly Named[];
  /** Entries with a long run that ended since the last look. */
  #ended: Named[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param running - the entries whose handlers run, or have just ended */
  constructor(log: Logger, running: () => readonly Named[]) {
    this.#log = log;
    this.#running = running;
  }

  start(): void {
    let last = performance.now();
    this.#timer = unref(
      setInterval(() => {
        const now = performance.now();
        const late = now - last - LOOK;
        last = now;
        if (late >= BLOCKED) this.#print(late);
        this.#ended = [];
      }, LOOK),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Call it for each entry that has run. */
  ran(entry: Named, { records }: Pick<Settlement, "records">): void {
    if (this.#ended.length < NAMED && records.some(({ duration }) => duration >= BLOCKED))
      this.#ended.push(entry);
  }

  #print(late: number): void {
    const entries = [...this.#ended, ...this.#running()].slice(0, NAMED);
    const names = entries.map(({ seq, kind }) => (kind === null ? `#${seq}` : `#${seq} ${kind}`));
    const message =
      "the event loop was blocked, so nothing was received or answered, and senders may have timed out: move long computations to a worker thread";
    this.#log.warn({ blocked: Math.round(late), entries: names.join(", ") || undefined }, message);
  }
}
