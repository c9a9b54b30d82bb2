import { MAX_ASKED } from "../../base/options/retry.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { TargetEnd, TargetOptions } from "../plan/target.ts";

/** Milliseconds until a target that is away, or that refused all that waits, is tried again. */
export const AWAY = 1000;
export const REFUSED = 2000;

/** How many entries are claimed at once while a target answers. */
const BATCH = 20;

/** How often an entry may seem to bring its target down before others go first. */
const MAX_CRASHES = 3;

/**
 * How many entries are remembered as set aside. One that is forgotten, such as one that was dropped
 * meanwhile, waits for its turn again if it still waits.
 */
const MAX_DEFERRED = 200;

/** A claimed entry that waits for its turn. Call exactly one of the functions. */
export interface ReadyEntry {
  readonly seq: number;
  /** Tries it; resolves when its run has ended, to `end: undefined` if the target was not tried. */
  readonly run: () => Promise<{
    readonly end: TargetEnd | undefined;
    readonly asked: number | undefined;
  }>;
  /** Leaves it as it was before it was claimed. */
  readonly giveBack: () => void;
}

export interface Wanted {
  readonly target: string;
  readonly after: number;
  readonly limit: number;
  readonly except: readonly number[];
}

export interface QueueWork {
  /**
   * Claims entries that wait for the target, in order of arrival; none after a failure of the
   * store.
   */
  claim(wanted: Wanted): Promise<readonly ReadyEntry[] | undefined>;
  /** Makes entries due now: these, or all that wait for the target. */
  makeDue(
    entries: { readonly seqs: readonly number[] } | { readonly targets: readonly string[] },
  ): void;
}

/**
 * The entries that wait for a target. While the target is away, the oldest of them is tried every
 * second. Once the target answers, all are tried in order of arrival, one at a time; new ones join
 * the end. Then entries are tried as they come, each with a back-off of its own, but while any
 * wait, the oldest is still tried every two seconds, and its success starts a round again.
 *
 * One entry that cannot be delivered must not hold back the others: if the next one is taken, it is
 * set aside, to be tried by its own back-off.
 */
export class TargetQueue {
  readonly #target: TargetOptions;
  readonly #work: QueueWork;
  #waits = false;
  #answers = false;
  #round: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopped = false;
  /** The number up to which this round has claimed, and whether it is claiming. */
  #cursor = 0;
  #claiming = false;
  /** Entries that joined while this round may have missed them. */
  #unseen: number[] = [];
  readonly #deferred = new Set<number>();
  readonly #crashes = new Map<number, number>();
  /**
   * The entry of this round whose failure may be its own fault: it is not known if the target
   * answers.
   */
  #inDoubt: number | undefined;
  /** Whether an entry was refused in this round. */
  #hasRefused = false;
  #lastFailure: string | null = null;

  constructor(target: TargetOptions, work: QueueWork) {
    this.#target = target;
    this.#work = work;
  }

  /** Begins with entries that wait from before; resolves once the oldest are claimed. */
  async open(): Promise<void> {
    this.#waits = true;
    await new Promise<void>((claimed) => this.#startRound(BATCH, false, claimed));
  }

  /** Starts no more rounds, and ends the current one after the entry that is being tried. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /**
   * Whether an entry has to wait for its turn. Those with an order key have another order once the
   * target answers.
   */
  holds({ seq, orderKey }: ClaimedEntry): boolean {
    return this.#waits && !this.#deferred.has(seq) && !(this.#answers && orderKey !== null);
  }

  /** Whether the last failure was the same; remembers this one. */
  repeats(failure: string | null): boolean {
    const same = this.#lastFailure === failure;
    this.#lastFailure = failure;
    return same;
  }

  /** Notes a result out of turn. */
  tried(entry: ClaimedEntry, end: TargetEnd, asked: number | undefined): void {
    const { seq, waits = [] } = entry;
    if (end === "took") {
      this.forget(seq);
      const failedBefore = waits.some(
        ({ target, attempts }) => target === this.#target.name && attempts > 0,
      );
      if (this.#waits || failedBefore) this.#startRound(BATCH, true);
    } else if (end === "answered" || (end === "perhaps" && this.#deferred.has(seq))) {
      this.#tryIn(Math.max(REFUSED, asked ?? 0));
    } else {
      this.#waits = true;
      this.#tryIn(Math.max(AWAY, asked ?? 0));
    }
  }

  /** Notes that an entry is now stored as waiting for its turn. */
  joined(seq: number): void {
    if (!this.#waits) this.#work.makeDue({ seqs: [seq] });
    else if (this.#round !== undefined) {
      if (this.#claiming || seq <= this.#cursor) this.#unseen.push(seq);
    } else if (this.#timerAt === Number.POSITIVE_INFINITY) this.#tryIn(AWAY);
  }

  /** Call it for an entry that has ended, however it did. */
  forget(seq: number): void {
    this.#deferred.delete(seq);
    this.#crashes.delete(seq);
  }

  #defer(seq: number): void {
    this.#deferred.add(seq);
    const [oldest] = this.#deferred;
    if (oldest !== undefined && this.#deferred.size > MAX_DEFERRED) this.forget(oldest);
  }

  #tryIn(wanted: number): void {
    const ms = Math.min(wanted, MAX_ASKED); // a longer timer than Node's longest would end at once
    const at = performance.now() + ms;
    if (this.#stopped || at >= this.#timerAt) return;
    this.#timerAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#startRound(1), ms);
  }

  /** @param claimed - called once the first entries are claimed, or none will be */
  #startRound(first: number, answers = false, claimed = () => {}): void {
    if (this.#stopped || this.#round !== undefined) return void claimed();
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#round = this.#goRound(first, answers, claimed).then((next) => {
      this.#round = undefined;
      this.#answers = false;
      claimed();
      const wanted = Math.min(next ?? Number.POSITIVE_INFINITY, this.#timerAt - performance.now());
      this.#timerAt = Number.POSITIVE_INFINITY;
      if (wanted < Number.POSITIVE_INFINITY) this.#tryIn(Math.max(0, wanted));
    });
  }

  /**
   * Tries what waits, in order of arrival; returns after how many milliseconds to try again, if
   * anything may wait.
   */
  async #goRound(
    first: number,
    answers: boolean,
    claimed: () => void,
  ): Promise<number | undefined> {
    this.#cursor = 0;
    this.#unseen = [];
    this.#inDoubt = undefined;
    this.#hasRefused = false;
    if (answers) this.#answer();
    for (let limit = first; !this.#stopped; limit = this.#answers ? BATCH : 1) {
      // the others are met by this claim
      this.#unseen = this.#unseen.filter((seq) => seq <= this.#cursor);
      this.#claiming = true;
      const except = [...this.#deferred];
      const ready = await this.#work.claim({
        target: this.#target.name,
        after: this.#cursor,
        limit,
        except,
      });
      this.#claiming = false;
      claimed();
      if (ready === undefined) return AWAY;
      if (ready.length === 0) {
        if (this.#unseen.some((seq) => seq > this.#cursor)) continue;
        return this.#finish();
      }
      const next = await this.#tryAll(ready);
      if (next !== "on") return next;
    }
    return undefined;
  }

  async #tryAll(ready: readonly ReadyEntry[]): Promise<number | undefined | "on"> {
    for (const [index, { seq, run }] of ready.entries()) {
      this.#cursor = seq;
      const { end, asked } = await run();
      const verdict = this.#judge(seq, end);
      if (verdict === "answers" && (this.#waits || end === "took")) this.#answer();
      if (verdict === "doubt") this.#waits = true;
      const refusedOnly = verdict === "answers" && !this.#waits;
      const released = this.#answers && this.#target.unordered === true;
      if (verdict !== "away" && !refusedOnly && !released && !this.#stopped) continue;
      for (const { giveBack } of ready.slice(index + 1)) giveBack();
      if (verdict === "away") {
        this.#waits = true;
        return Math.max(AWAY, asked ?? 0);
      }
      if (released) {
        this.#waits = false;
        this.#work.makeDue({ targets: [this.#target.name] });
      }
      return Math.max(REFUSED, asked ?? 0);
    }
    return "on";
  }

  /** The target answers: all that waits is tried now, one after another. */
  #answer(): void {
    this.#waits = true;
    this.#answers = true;
  }

  /** Nothing is left to try: from now on entries are tried as they come. */
  #finish(): number | undefined {
    if (this.#inDoubt !== undefined && !this.#answers) return AWAY;
    this.#waits = false;
    if (this.#unseen.length > 0) this.#work.makeDue({ seqs: this.#unseen });
    return this.#hasRefused ? REFUSED : undefined;
  }

  /** Judges a result: whether the target answers, is away, or whether the next entry decides. */
  #judge(seq: number, end: TargetEnd | undefined): "answers" | "away" | "doubt" | "unknown" {
    if (end === undefined) return "unknown";
    const inDoubt = this.#inDoubt;
    if (end === "took" || end === "answered") {
      if (end === "answered") this.#hasRefused = true;
      else this.#crashes.delete(seq);
      if (inDoubt !== undefined) this.#defer(inDoubt);
      this.#inDoubt = undefined;
      return "answers";
    }
    if (end === "away" && inDoubt !== undefined) {
      // The target was there for this entry, and gone for the next.
      const crashes = (this.#crashes.get(inDoubt) ?? 0) + 1;
      this.#crashes.set(inDoubt, crashes);
      if (crashes >= MAX_CRASHES) this.#defer(inDoubt);
    }
    if (end === "away" || inDoubt !== undefined) return "away";
    this.#inDoubt = seq;
    return "doubt";
  }
}
