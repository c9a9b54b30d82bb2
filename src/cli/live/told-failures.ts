import { countsText } from "../../inbox/counts.ts";
import { type Failure, failureOf } from "../../inbox/failures.ts";
import { ownCommand } from "../../package/own-command.ts";
import type { AttemptObservation } from "../../receiver/observation.ts";
import { placed } from "../events/failure-view.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { clockTime, wrappedRow } from "./row.ts";
import type { StatusBar } from "./status-bar.ts";

/** Entries whose last failures are remembered; beyond that, the oldest are forgotten and their errors printed again. */
const REMEMBERED = 10_000;
/** Milliseconds until a change of a number is told: first this long, then twice as long each time. */
const FIRST_WAIT = 2000;
const LONGEST_WAIT = 60_000;

/**
 * What is still to be said of a failed attempt: everything; that the same entry failed as before; that a dead letter failed
 * as another entry, which was told; or nothing, since the number of all that failed alike is told from time to time.
 */
export type Telling = "whole" | "again" | { readonly as: number } | "nothing";

/** Entries that failed alike. */
interface Alike {
  readonly failure: Failure;
  /** The entry whose error was printed. */
  readonly first: number;
  readonly failing: Set<number>;
  readonly dead: Set<number>;
  /** What the numbers were when they were told last. */
  told: string;
  most: number;
  wait: number;
  timer: NodeJS.Timeout | undefined;
}

/** Tells each error once, however many entries fail with it, and then how many they are. */
export class ToldFailures {
  readonly #view: { readonly output: Output; readonly bar: StatusBar; readonly clock: () => number };
  readonly #byKey = new Map<string, Alike>();
  readonly #bySeq = new Map<number, Alike>();
  #failing = 0;
  #dead = 0;

  constructor(view: { readonly output: Output; readonly bar: StatusBar; readonly clock: () => number }) {
    this.#view = view;
  }

  /** Notes an attempt; returns what is to be said of it. */
  note({ seq, state, reason, problems, records }: AttemptObservation): Telling {
    const runs = records.map(({ error, failure }) => ({ error, at: failure?.at ?? null }));
    const failed = state === "failing" || state === "dead";
    const failure = failed ? failureOf({ reason, problems }, runs) : undefined;
    const before = this.#bySeq.get(seq);
    if (before !== undefined && before.failure.key !== failure?.key) this.#leave(seq, before);
    if (failure === undefined) {
      this.#show();
      return "whole";
    }
    const known = this.#byKey.get(failure.key);
    const alike = known ?? {
      ...{ failure, first: seq, failing: new Set<number>(), dead: new Set<number>() },
      ...NEW,
    };
    this.#byKey.set(failure.key, alike);
    this.#bySeq.delete(seq);
    this.#bySeq.set(seq, alike);
    if (alike.failing.delete(seq)) this.#failing--;
    if (alike.dead.delete(seq)) this.#dead--;
    if (state === "dead") this.#dead++;
    else this.#failing++;
    alike[state === "dead" ? "dead" : "failing"].add(seq);
    alike.most = Math.max(alike.most, sizeOf(alike));
    this.#forgetOldest();
    this.#show();
    if (known === undefined) return "whole";
    if (alike.most === 1) return state === "dead" ? "whole" : "again";
    this.#tellSoon(alike);
    return state === "dead" ? { as: alike.first } : "nothing";
  }

  /** Tells the numbers that have changed since they were told. */
  close(): void {
    for (const alike of this.#byKey.values()) {
      clearTimeout(alike.timer);
      if (alike.most > 1) this.#tell(alike);
    }
  }

  #leave(seq: number, alike: Alike): void {
    this.#forget(seq, alike);
    if (alike.most === 1) return;
    if (sizeOf(alike) > 0) this.#tellSoon(alike);
    else this.#say("✓", "green", alike.first, `none of ${alike.most} events fails like this any more`);
  }

  #forgetOldest(): void {
    const [oldest] = this.#bySeq;
    if (this.#bySeq.size > REMEMBERED && oldest !== undefined) this.#forget(...oldest);
  }

  #forget(seq: number, alike: Alike): void {
    this.#bySeq.delete(seq);
    if (alike.failing.delete(seq)) this.#failing--;
    if (alike.dead.delete(seq)) this.#dead--;
    if (sizeOf(alike) > 0) return;
    clearTimeout(alike.timer);
    this.#byKey.delete(alike.failure.key);
  }

  #tellSoon(alike: Alike): void {
    if (alike.timer !== undefined || numbersOf(alike) === alike.told) return;
    alike.timer = setTimeout(() => {
      alike.timer = undefined;
      this.#tell(alike);
    }, alike.wait).unref();
    alike.wait = Math.min(2 * alike.wait, LONGEST_WAIT);
  }

  #tell(alike: Alike): void {
    const numbers = numbersOf(alike);
    if (numbers === alike.told || sizeOf(alike) === 0) return;
    alike.told = numbers;
    const { words, at } = alike.failure;
    const error = printable(placed(words.split("\n", 1)[0] ?? "", at), 160);
    const fix =
      alike.dead.size === 0
        ? ""
        : `; fix the cause, then: ${ownCommand(`events retry --like ${alike.first}`)}`;
    this.#say("✗", "red", alike.first, `${numbers} like this: ${error}${fix}`);
  }

  #say(mark: string, paint: "red" | "green", seq: number, text: string): void {
    const { output, clock } = this.#view;
    const start = `${output.color.dim(clockTime(clock()))}  ${`#${seq}`.padEnd(4)} ${output.color[paint](mark)} `;
    output.data(wrappedRow(start, text, output).join("\n"));
  }

  #show(): void {
    this.#view.bar.update({ failed: countsText({ failing: this.#failing, dead: this.#dead }) });
  }
}

const NEW = { told: "", most: 0, wait: FIRST_WAIT, timer: undefined };

function sizeOf({ failing, dead }: Alike): number {
  return failing.size + dead.size;
}

function numbersOf({ failing, dead }: Alike): string {
  return countsText({ failing: failing.size, dead: dead.size });
}
