import { setImmediate } from "node:timers/promises";

/** The next turn of the event loop, shared by all that wait for it. */
export class NextTurn {
  /** Resolves then, if something waits for it. */
  pending: Promise<void> | undefined;

  wait(): Promise<void> {
    this.pending ??= setImmediate().then(() => {
      this.pending = undefined;
    });
    return this.pending;
  }
}
