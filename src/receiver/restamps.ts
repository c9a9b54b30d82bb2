/** Contents remembered; the oldest is forgotten for the newest, so that memory stays bounded. */
const MAX_REMEMBERED = 1000;

/**
 * Notices events that say the same as an earlier one under another timestamp. They are two events by their keys; but
 * some senders date each retry anew, and whoever receives from one must know, since every retry then runs again.
 */
export class Restamps {
  readonly #seen = new Map<string, { readonly eventId: string; readonly timestamp: number }>();

  /** Remembers a new event; gives the id of the event it may be a retry of, if there is one. */
  note(content: string, eventId: string, timestamp: number): string | undefined {
    const earlier = this.#seen.get(content);
    this.#seen.delete(content); // so that it stands last
    this.#seen.set(content, { eventId, timestamp });
    if (this.#seen.size > MAX_REMEMBERED) this.#forgetOldest();
    return earlier === undefined || earlier.timestamp === timestamp ? undefined : earlier.eventId;
  }

  #forgetOldest(): void {
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}
