const PAUSE = 60_000; // milliseconds between two lines of one kind

/**
 * Lets one line of a kind into the log per minute, and counts the others. Anyone can send what
 * causes them, at any rate.
 */
export class OnceAMinute<Kind> {
  readonly #kinds = new Map<Kind, { readonly loggedAt: number; unlogged: number }>();

  /**
   * How many lines of a kind were left out before this one; `undefined` if this one is, too. A
   * clock that was set back lets it pass.
   */
  leftOut(kind: Kind, now: number): number | undefined {
    const before = this.#kinds.get(kind);
    const since = now - (before?.loggedAt ?? Number.NEGATIVE_INFINITY);
    if (before !== undefined && since >= 0 && since < PAUSE) {
      before.unlogged++;
      return undefined;
    }
    this.#kinds.set(kind, { loggedAt: now, unlogged: 0 });
    return before?.unlogged ?? 0;
  }
}
