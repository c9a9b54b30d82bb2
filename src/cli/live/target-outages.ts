import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import { hasEnded } from "../../inbox/entry-state.ts";
import { TARGET_AWAY, type TargetCount } from "../../inbox/target-wait.ts";
import type { AttemptObservation } from "../../receiver/observation.ts";
import { isUnanswered, targetOfForward } from "../handlers/forward-rules.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { clockTime, wrappedRow } from "./row.ts";
import type { StatusBar } from "./status-bar.ts";

/** A target that does not answer. */
interface Outage {
  readonly since: number;
  waiting: number;
}

/** What waited for a target that answers again. */
interface CatchUp {
  readonly since: number;
  readonly upTo: number;
  readonly expected: number;
  taken: number;
  timer: NodeJS.Timeout | undefined;
}

/** What {@link TargetOutages} needs. */
interface OutageView {
  readonly output: Output;
  readonly bar: StatusBar;
  readonly clock: () => number;
  readonly waiting: () => Promise<readonly TargetCount[]>;
}

/** Milliseconds between two countings of what waits, and without another entry until what waited is considered sent. */
const RECOUNT = 1000;
const CAUGHT_UP = 1000;

/**
 * Tells in one line that a target went away, and in one that it is back, in place of a line for each attempt. On a terminal, a
 * line at its bottom says how many events wait.
 */
export class TargetOutages {
  readonly #view: OutageView;
  readonly #outages = new Map<string, Outage>();
  readonly #catchUps = new Map<string, CatchUp>();
  #newest = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(view: OutageView) {
    this.#view = view;
  }

  kept(seq: number): void {
    this.#newest = Math.max(this.#newest, seq);
  }

  /** Notes an attempt; returns whether all there is to say about it is said here. */
  note({ seq, state, reason, records }: AttemptObservation): boolean {
    let said = records.length > 0;
    for (const record of records) {
      const { handler, outcome, error } = record;
      const target = targetOfForward(handler);
      if (target === undefined) said = false;
      else if (outcome === "ok") said = this.#took(target, seq) && said;
      else if (state === "waiting" && reason === TARGET_AWAY) this.#away(target, error ?? "no answer");
      else {
        said = false;
        if (!isUnanswered(record)) this.#answered(target, record);
      }
    }
    return said && (state === "handled" || !hasEnded(state));
  }

  /** Stops counting, and removes the line at the bottom. */
  close(): void {
    clearInterval(this.#timer);
    this.#outages.clear(); // a count that is under way must not show the line again
    this.#view.bar.update({ away: undefined });
    for (const target of this.#catchUps.keys()) this.#caughtUp(target);
  }

  #away(target: string, error: string): void {
    if (this.#outages.has(target)) return;
    this.#caughtUp(target);
    const outage: Outage = { since: this.#view.clock(), waiting: 1 };
    this.#outages.set(target, outage);
    const { origin } = new URL(target);
    const why = error.startsWith(`${origin}: `) ? error.slice(origin.length + 2) : error;
    this.#say(WARNING, `${target} is away: ${why}`);
    this.#timer ??= setInterval(() => void this.#recount(), RECOUNT).unref();
  }

  /** An answer ends an outage, whatever it says. */
  #answered(target: string, { note }: AttemptRecord): void {
    const outage = this.#outages.get(target);
    if (outage === undefined) return;
    const status = /^\d{3}/.exec(note ?? "")?.[0] ?? "with an error";
    const waited = outage.waiting === 1 ? "1 event waits" : `${events(outage.waiting)} wait`;
    this.#end(target);
    this.#say(WARNING, `${target} is back after ${this.#since(outage)}, but answers ${status}: ${waited}`);
  }

  /** Returns whether the entry waited for the target, so that its line is left out. */
  #took(target: string, seq: number): boolean {
    const outage = this.#outages.get(target);
    if (outage !== undefined) this.#back(target, outage);
    const catchUp = this.#catchUps.get(target);
    if (catchUp === undefined) return false;
    if (seq > catchUp.upTo && catchUp.taken >= catchUp.expected) {
      this.#caughtUp(target);
      return false;
    }
    catchUp.taken++;
    catchUp.timer?.refresh();
    return true;
  }

  #back(target: string, outage: Outage): void {
    this.#end(target);
    this.#say(GOOD, `${target} is back after ${this.#since(outage)}: ${events(outage.waiting)} waited`);
    const [since, expected] = [this.#view.clock(), outage.waiting];
    const timer = setTimeout(() => this.#caughtUp(target), CAUGHT_UP).unref();
    this.#catchUps.set(target, { since, upTo: this.#newest, expected, taken: 0, timer });
  }

  #end(target: string): void {
    this.#outages.delete(target);
    if (this.#outages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#view.bar.update({ away: undefined });
  }

  #since({ since }: Outage): string {
    return inWords(this.#view.clock() - since);
  }

  #caughtUp(target: string): void {
    const catchUp = this.#catchUps.get(target);
    if (catchUp === undefined) return;
    clearTimeout(catchUp.timer);
    this.#catchUps.delete(target);
    this.#say(GOOD, `${target} took ${events(catchUp.taken)} that waited`);
  }

  async #recount(): Promise<void> {
    const counts = await this.#view.waiting().catch(() => []);
    for (const { target, entries } of counts) {
      const outage = this.#outages.get(target);
      if (outage !== undefined) outage.waiting = entries;
    }
    if (this.#outages.size === 0) return;
    const parts = [...this.#outages].map(([target, { since, waiting }]) => {
      const [wait, away] = [
        waiting === 1 ? "1 event waits" : `${events(waiting)} wait`,
        inWords(this.#view.clock() - since),
      ];
      return `${wait} for ${new URL(target).host}, away for ${away}, tried every second`;
    });
    this.#view.bar.update({ away: parts.join("; ") });
  }

  #say({ mark, paint }: typeof WARNING | typeof GOOD, text: string): void {
    const { output, clock } = this.#view;
    const start = `${output.color.dim(clockTime(clock()))}  ${output.color[paint](mark)} `;
    output.data(wrappedRow(start, output.color[paint](printable(text, 600)), output).join("\n"));
  }
}

const WARNING = { mark: "!", paint: "yellow" } as const;
const GOOD = { mark: "✓", paint: "green" } as const;

function events(count: number): string {
  return `${count} event${count === 1 ? "" : "s"}`;
}

/** Such as `0.4 s`, `75 s` or `12 m`. */
function inWords(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} m`;
}
