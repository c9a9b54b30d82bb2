import { matchesKind } from "../../event/kind-pattern.ts";
import { hasEnded } from "../../inbox/entry-state.ts";
import type { Role } from "../../inbox/runner.ts";
import type { AttemptObservation, Observation } from "../../receiver/observation.ts";
import { isUnanswered } from "../handlers/forward-rules.ts";

export interface GoalOptions {
  readonly count?: number;
  readonly waitFor?: string;
  readonly timeout?: number;
  readonly events?: readonly string[];
  readonly role?: Role;
}

/** What `listen` waits for before it ends, with `--count` or `--wait-for`. */
export class Goal {
  readonly #wanted: number;
  readonly #kinds: readonly string[];
  readonly #waiting = new Set<number>();
  readonly #runs: boolean; // else other processes run the handlers
  #came = 0;
  /** Whether a counted event failed in its handlers or target. */
  failed = false;

  constructor({ count = 1, waitFor, events = ["*"], role }: GoalOptions) {
    this.#wanted = count;
    this.#runs = role !== "receive";
    this.#kinds = waitFor === undefined ? events : [waitFor];
  }

  /** Progress in words, such as `1 of 3 events`. */
  get progress(): string {
    return `${this.#came} of ${this.#wanted} event${this.#wanted === 1 ? "" : "s"}`;
  }

  /**
   * Whether enough events have arrived, and their handlers have run if they run here. A target that
   * does not answer yet is waited for.
   */
  reached(observation: Observation): boolean {
    if (observation.type === "delivery") this.#count(observation.outcome);
    else if (this.#isDecided(observation) && this.#waiting.delete(observation.seq))
      this.failed ||= observation.state !== "handled" && observation.state !== "received";
    return this.#came >= this.#wanted && this.#waiting.size === 0;
  }

  /** An attempt that failed only because a target was not reached is not final. */
  #isDecided({ state, records }: AttemptObservation): boolean {
    const failed = records.filter(({ outcome }) => outcome !== "ok");
    return hasEnded(state) || failed.length === 0 || !failed.every(isUnanswered);
  }

  #count(outcome: Extract<Observation, { type: "delivery" }>["outcome"]): void {
    if (this.#came >= this.#wanted || outcome.type !== "accepted" || outcome.duplicate) return;
    if (!this.#kinds.some((pattern) => matchesKind(pattern, outcome.kind))) return;
    this.#came++;
    if (outcome.entryState !== "waiting") this.failed = true;
    else if (this.#runs) this.#waiting.add(outcome.seq);
  }
}
