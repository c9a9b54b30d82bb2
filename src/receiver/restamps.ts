/** Contents remembered at least; at most twice as many, so that memory stays bounded. */
const REMEMBERED = 1000;

/**
 * Notices events that say the same as an earlier one under another timestamp. They are two events by their keys; but
 * some senders date each retry anew, and whoever receives from one must know, since every retry then runs again.
 */
export class Restamps {
  // Two generations: the older is dropped whole, since a map from which single keys are deleted grows slow.
  #recent = new Map<string, Noted>();
  #older = new Map<string, Noted>();

  /** Remembers a new event; gives the id of the event it may be a retry of, if there is one. */
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

/** An event as it is remembered. */
interface Noted {
  readonly eventId: string;
  readonly timestamp: number;
}
