import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import { TARGET_AWAY, type TargetCount } from "../../inbox/target-wait.ts";
import type { AttemptObservation } from "../../receiver/observation.ts";
import type { UnusableTarget } from "../../relay/send.ts";
import { isUnanswered, targetOfForward } from "../handlers/forward-rules.ts";
import type { FailureView } from "./reported-failures.ts";
import { printInRow } from "./row.ts";

interface Outage {
  readonly since: number;
  readonly state: "away" | "unusable";
  waiting: number;
}

interface OutageView extends FailureView {
  readonly waiting: () => Promise<readonly TargetCount[]>;
}

/** The name of the error of a target that is there. */
const UNUSABLE: UnusableTarget["name"] = "UnusableTarget";

/** Milliseconds between two countings of what waits. */
const RECOUNT = 1000;

/**
 * Says in one line that a target went away, and in one that it is back, in place of a line for each
 * attempt. On a terminal, a line at its bottom says how many events wait.
 */
export class TargetOutages {
  readonly #view: OutageView;
  readonly #outages = new Map<string, Outage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(view: OutageView) {
    this.#view = view;
  }

  /**
   * Notes an attempt; returns whether all there is to say about it is that its targets are away.
   * `showEvent` prints the event's own line, which comes before that of what follows from it.
   */
  note({ state, reason, records }: AttemptObservation, showEvent: () => void): boolean {
    let isAway = records.length > 0;
    for (const record of records) {
      const target = targetOfForward(record.handler);
      const waits = state === "waiting" && reason === TARGET_AWAY && record.outcome !== "ok";
      if (target !== undefined && waits) this.#away(target, record, showEvent);
      else {
        isAway = false;
        if (target !== undefined && !isUnanswered(record)) this.#answered(target, record);
      }
    }
    return isAway;
  }

  /** Stops counting, and removes the line at the bottom. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#outages.clear(); // a count that is under way must not show the line again
    this.#view.bar.update({ away: undefined });
  }

  #away(target: string, record: AttemptRecord, showEvent: () => void): void {
    if (this.#outages.has(target)) return;
    showEvent();
    const { origin } = new URL(target);
    const error = record.error ?? "no answer";
    const why = error.startsWith(`${origin}: `) ? error.slice(origin.length + 2) : error;
    const state = record.failure?.name === UNUSABLE ? "unusable" : "away";
    this.#outages.set(target, { since: this.#view.clock(), state, waiting: 1 });
    const isBusy = !isUnanswered(record); // as a 429 or 503 says
    const how = state === "away" ? `${target} is away: ${why}` : `${target} is there, but ${why}`;
    this.#print("warning", isBusy ? `${why}: events wait until it takes them` : how);
    this.#timer ??= setInterval(() => void this.#recount(), RECOUNT).unref();
  }

  /** An answer ends an outage, whatever it says. */
  #answered(target: string, { outcome, note }: AttemptRecord): void {
    const outage = this.#outages.get(target);
    if (outage === undefined) return;
    this.#outages.delete(target);
    if (this.#outages.size === 0) this.close();
    const back = `${target} is back after ${this.#since(outage)}`;
    const status = /^\d{3}/.exec(note ?? "")?.[0] ?? "with an error";
    const { waiting } = outage;
    if (outcome === "ok")
      this.#print("handled", `${back}: ${counted(waiting, "event", "events")} waited`);
    else this.#print("warning", `${back}, but answers ${status}: ${waitText(waiting)}`);
  }

  async #recount(): Promise<void> {
    const counts = await this.#view.waiting().catch(() => []);
    for (const { target, entries } of counts) {
      const outage = this.#outages.get(target);
      if (outage !== undefined) outage.waiting = entries;
    }
    if (this.#outages.size === 0) return;
    const parts = [...this.#outages].map(([target, outage]) => {
      const { host } = new URL(target);
      const since = `${outage.state} for ${this.#since(outage)}`;
      return `${waitText(outage.waiting)} for ${host}, ${since}, tried every second`;
    });
    this.#view.bar.update({ away: parts.join("; ") });
  }

  #since({ since }: Outage): string {
    return durationText(this.#view.clock() - since);
  }

  #print(mark: "warning" | "handled", text: string): void {
    const { output, clock } = this.#view;
    printInRow({ time: clock(), mark }, text, output);
  }
}

function waitText(count: number): string {
  return counted(count, "event waits", "events wait");
}
