import { hash } from "../base/package/builtins.ts";
import {
  DAY,
  ENOUGH_BODIES,
  type Mismatches,
  type SenderDay,
  type SenderNote,
} from "../inbox/senders.ts";
import type { Outcome } from "./outcome.ts";

type Open<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/**
 * Counts what a receiver sees of its source's signatures, from one note to the next. Cheap: it is
 * part of every delivery.
 */
export class SenderTally {
  readonly #source: string;
  #first = 0;
  #last = 0;
  #dayEnd = 0;
  #isChanged = false;
  #days: Open<SenderDay>[] = [];
  #mismatches: Open<Mismatches> | undefined;
  /**
   * Digests of the bodies since the latest authentic delivery, no more of them than are needed.
   * Never stored.
   */
  readonly #bodies = new Set<string>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Counts an authentic delivery; after it, mismatches are counted from the start. */
  authentic(at: number, outcome?: Outcome): void {
    let day = this.#days.at(-1);
    if (day === undefined || at >= this.#dayEnd || at < this.#dayEnd - DAY) {
      day = { day: Math.floor(at / DAY), events: 0, longestGap: 0 };
      this.#days.push(day);
      this.#dayEnd = (day.day + 1) * DAY;
    }
    const isRepeat = outcome !== undefined && (!("duplicate" in outcome) || outcome.duplicate);
    if (!isRepeat) day.events++;
    if (this.#first === 0) this.#first = at;
    else if (at - this.#last > day.longestGap) day.longestGap = at - this.#last;
    this.#last = at;
    this.#isChanged = true;
    if (this.#bodies.size > 0) this.forgetMismatches();
  }

  /** When the latest authentic delivery arrived, if one has. */
  get lastAt(): number | undefined {
    return this.#last === 0 ? undefined : this.#last;
  }

  mismatch(body: Uint8Array, at: number): void {
    let isOther = false;
    if (this.#bodies.size < ENOUGH_BODIES) {
      const { size } = this.#bodies;
      isOther = this.#bodies.add(hash("sha256", body)).size > size;
    }
    this.#mismatches ??= { count: 0, bodies: 0, from: at, to: at };
    this.#mismatches.count++;
    this.#mismatches.to = at;
    if (isOther) this.#mismatches.bodies++;
    this.#isChanged = true;
  }

  /** Another process has received an authentic delivery since. */
  forgetMismatches(): void {
    this.#mismatches = undefined;
    this.#bodies.clear();
  }

  /** What was counted since it was last taken; `undefined` if that is nothing. */
  get seen(): SenderNote | undefined {
    if (!this.#isChanged) return undefined;
    const authentic = this.#first === 0 ? undefined : { first: this.#first, last: this.#last };
    return { source: this.#source, authentic, mismatches: this.#mismatches, days: this.#days };
  }

  /** The same, and begins again. */
  take(): SenderNote | undefined {
    const note = this.seen;
    this.#first = 0;
    this.#days = [];
    this.#mismatches = undefined;
    this.#isChanged = false;
    return note;
  }
}
