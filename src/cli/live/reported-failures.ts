import { ownCommand } from "../../base/package/own-command.ts";
import { countsText } from "../../inbox/counts.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import { type Failure, failureOf } from "../../inbox/failures.ts";
import { DROPPED } from "../../inbox/target-wait.ts";
import type { AttemptObservation } from "../../receiver/observation.ts";
import { placed } from "../events/failure-view.ts";
import { type Output, printable } from "../output.ts";
import { printInRow } from "./row.ts";
import type { StatusBar } from "./status-bar.ts";

/**
 * Entries whose last failures are remembered; beyond that, the oldest are forgotten and their
 * errors printed again.
 */
const REMEMBERED = 10_000;
/**
 * Milliseconds until a change of a number is told: first this long, then twice as long each time.
 */
const FIRST_WAIT = 2000;
const LONGEST_WAIT = 60_000;
/** Milliseconds between two looks at whether entries still fail. */
const RECHECK = 5000;
/** The states of an entry that still fails: its next attempt may be running. */
const STILL: readonly EntryState[] = ["failing", "running", "dead"];

/** What became of an entry: an attempt, or a delivery that is a dead letter at once. */
type Noted = Pick<AttemptObservation, "seq" | "state" | "reason" | "problems" | "records">;

/**
 * What is still to be said of a failed attempt: everything; that the same entry failed as before;
 * that a dead letter failed as another entry, which was told; or nothing, since the number of all
 * that failed alike is told from time to time.
 */
export type ReportDetail = "whole" | "again" | { readonly as: number } | "nothing";

interface SameFailure {
  readonly failure: Failure;
  /** The entry whose error was printed. */
  readonly first: number;
  readonly failing: Set<number>;
  readonly dead: Set<number>;
  /** What the numbers were when they were told last. */
  reported: string;
  most: number;
  wait: number;
  timer: NodeJS.Timeout | undefined;
}

export interface FailureView {
  readonly output: Output;
  readonly bar: StatusBar;
  readonly clock: () => number;
}

type ListingView = FailureView & {
  readonly list: (seqs: readonly number[]) => Promise<readonly Entry[]>;
};

/** Tells each error once, however many entries fail with it, and then how many they are. */
export class ReportedFailures {
  readonly #view: ListingView;
  readonly #byKey = new Map<string, SameFailure>();
  readonly #bySeq = new Map<number, SameFailure>();
  readonly #counts = { failing: 0, dead: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(view: ListingView) {
    this.#view = view;
  }

  /** Notes what became of an entry; returns what is to be said of it. */
  note({ seq, state, reason, problems, records }: Noted): ReportDetail {
    const runs = records.map(({ error, failure }) => ({ error, at: failure?.at ?? null }));
    const hasFailed = state === "failing" || state === "dead";
    const failure = hasFailed ? failureOf({ reason, problems }, runs) : undefined;
    const before = this.#bySeq.get(seq);
    if (before !== undefined && before.failure.key !== failure?.key) this.#leave(seq, before);
    if (!hasFailed || failure === undefined) return "whole";
    const known = this.#byKey.get(failure.key);
    const same: SameFailure = known ?? {
      failure,
      first: seq,
      failing: new Set(),
      dead: new Set(),
      reported: "",
      most: 0,
      wait: FIRST_WAIT,
      timer: undefined,
    };
    this.#remove(seq, same);
    this.#bySeq.set(seq, same);
    this.#byKey.set(failure.key, same);
    same[state].add(seq);
    this.#counts[state]++;
    same.most = Math.max(same.most, sizeOf(same));
    const [oldest] = this.#bySeq;
    if (this.#bySeq.size > REMEMBERED && oldest !== undefined) this.#remove(...oldest);
    this.#show();
    if (known === undefined) return "whole";
    if (same.most === 1) return state === "dead" ? "whole" : "again";
    this.#reportSoon(same);
    if (state === "failing") return "nothing";
    return same.first === seq ? "whole" : { as: same.first };
  }

  /** Tells the numbers that have changed since they were told, as they are now. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if ([...this.#byKey.values()].some(({ most }) => most > 1))
      await this.#recheck().catch(() => {});
    for (const same of this.#byKey.values()) {
      clearTimeout(same.timer);
      if (same.most > 1) this.#report(same);
    }
    this.#bySeq.clear();
  }

  #leave(seq: number, same: SameFailure): void {
    this.#remove(seq, same);
    this.#show();
    if (same.most === 1) return;
    if (sizeOf(same) > 0) this.#reportSoon(same);
    else this.#print("handled", same.first, `none of ${same.most} events fails like this any more`);
  }

  #remove(seq: number, same: SameFailure): void {
    this.#bySeq.delete(seq);
    for (const state of ["failing", "dead"] as const)
      if (same[state].delete(seq)) this.#counts[state]--;
    if (sizeOf(same) > 0) return;
    clearTimeout(same.timer);
    this.#byKey.delete(same.failure.key);
  }

  #reportSoon(same: SameFailure): void {
    if (same.timer !== undefined || numbersOf(same) === same.reported) return;
    same.timer = setTimeout(() => {
      same.timer = undefined;
      this.#report(same);
    }, same.wait).unref();
    same.wait = Math.min(2 * same.wait, LONGEST_WAIT);
  }

  #report(same: SameFailure): void {
    const numbers = numbersOf(same);
    if (numbers === same.reported || sizeOf(same) === 0) return;
    same.reported = numbers;
    const { words, at } = same.failure;
    const error = printable(placed(words.split("\n", 1)[0] ?? "", at), 160);
    const [like] = same.dead;
    const fix =
      like === undefined
        ? ""
        : `; fix the cause, then: ${ownCommand(`events retry --like ${like}`)}`;
    this.#print("dead", same.first, `${numbers} like this: ${error}${fix}`);
  }

  #print(mark: "dead" | "handled", seq: number, text: string): void {
    const { output, clock } = this.#view;
    printInRow({ time: clock(), seq, mark }, text, output);
  }

  /**
   * Forgets entries that a person dropped, or that another process retried or handled: no attempt
   * in this process would show it.
   */
  async #recheck(): Promise<void> {
    const seqs = [...this.#bySeq.keys()];
    const entries = new Map((await this.#view.list(seqs)).map((entry) => [entry.seq, entry]));
    for (const seq of seqs) {
      const entry = entries.get(seq);
      const same = this.#bySeq.get(seq);
      const isOver =
        entry === undefined || entry.reason === DROPPED || !STILL.includes(entry.state);
      if (isOver && same !== undefined) this.#leave(seq, same);
    }
  }

  #show(): void {
    if (this.#bySeq.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => void this.#recheck().catch(() => {}), RECHECK).unref();
    this.#view.bar.update({ failed: countsText(this.#counts) });
  }
}

function sizeOf({ failing, dead }: SameFailure): number {
  return failing.size + dead.size;
}

function numbersOf({ failing, dead }: SameFailure): string {
  return countsText({ failing: failing.size, dead: dead.size });
}
