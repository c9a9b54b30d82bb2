import type { LiveUpdate } from "../../api.ts";
import type { Lines } from "./lines.ts";

/** The most updates that are held; beyond them the list is loaded again instead. */
const MAX_HELD = 2000;

/** The updates that arrive while the list is paused. */
export class HeldUpdates {
  #updates: LiveUpdate[] = [];
  readonly #fresh = new Set<string>();
  #isIncomplete = false;

  /** The number of rows that the list does not have yet. */
  get fresh(): number {
    return this.#fresh.size;
  }

  hold(update: LiveUpdate, lines: Lines): void {
    const { rows = [], refusals = [], gone = [] } = update;
    for (const { id } of [...rows, ...refusals]) if (lines.find(id) === undefined) this.#fresh.add(id);
    for (const id of gone) this.#fresh.delete(id);
    if (this.#updates.length >= MAX_HELD) this.miss();
    else if (!this.#isIncomplete) this.#updates.push(update);
  }

  /** Records that updates were lost. */
  miss(): void {
    this.#isIncomplete = true;
    this.#updates = [];
  }

  /** The updates in order; `undefined` if some were lost, so that the list must be loaded again. */
  take(): readonly LiveUpdate[] | undefined {
    return this.#isIncomplete ? undefined : this.#updates;
  }
}
