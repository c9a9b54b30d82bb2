import type { DedupKey } from "../event/identity.ts";

/**
 * The last this many contents are remembered, and at most twice that, so that memory stays bounded.
 */
const REMEMBERED = 1000;

type Noted = Pick<DedupKey, "eventId" | "timestamp">;

/**
 * Detects events that equal an earlier one except for the timestamp. By their keys they are two
 * events. But some senders give each retry a new timestamp, and their receivers must know, since
 * every retry then runs again.
 */
export class Restamps {
  // Two generations: the older is dropped as a whole, since deleting keys one by one makes a map
  // slow.
  #recent = new Map<string, Noted>();
  #older = new Map<string, Noted>();

  /** Remembers a new event; returns the id of the event it may be a retry of, if any. */
  note(content: string, eventId: string, timestamp: number): string | undefined {
    const earlier = this.#recent.get(content) ?? this.#older.get(content);
    if (this.#recent.size >= REMEMBERED) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(content, { eventId, timestamp });
    return earlier === undefined || earlier.timestamp === timestamp ? undefined : earlier.eventId;
  }
}
