import { hasEnded } from "../../inbox/entry-state.ts";
import { verdictOf } from "../../inspector/live/verdict.ts";
import type { Observation } from "../../receiver/observation.ts";

/** What is counted, in the order of printing: verdicts on deliveries, then results of entries. */
const COUNTED = [
  "accepted",
  "duplicate",
  "rejected",
  "unauthorized",
  "refused",
  "failed",
  "handled",
  "received",
  "dead",
];

export class ListenTally {
  readonly #counts = new Map<string, number>();
  readonly #reasons = new Map<string, Map<string, number>>();
  readonly #secrets = { current: 0, previous: 0 };
  #restamped = 0;
  #strayErrors = 0;

  /** Counts a delivery's verdict, or an entry's result. */
  count(observation: Observation): void {
    if (observation.type === "attempt") {
      const { state, reason } = observation;
      if (hasEnded(state)) this.#add(state, state === "dead" ? reason : null);
      return;
    }
    const { outcome } = observation;
    const { word, reason } = verdictOf(outcome);
    this.#add(word, reason);
    if ("secret" in outcome && outcome.secret !== undefined) this.#secrets[outcome.secret.role]++;
    if (outcome.type === "accepted" && outcome.restampOf !== undefined) this.#restamped++;
  }

  /** Counts an error of the user's code from outside any awaited handler. */
  countStrayError(): void {
    this.#strayErrors++;
  }

  /**
   * The counts as one line, such as
   * `12 accepted, 2 unauthorized (1 signature_missing, 1 signature_mismatch)`.
   */
  get line(): string {
    const parts = this.#ordered().map(([word, count]) => {
      const reasons = [...(this.#reasons.get(word) ?? [])].map(
        ([reason, times]) => `${times} ${reason}`,
      );
      return `${count} ${word}${reasons.length === 0 ? "" : ` (${reasons.join(", ")})`}`;
    });
    if (parts.length === 0) parts.push("no deliveries");
    const { previous } = this.#secrets;
    if (previous > 0) parts.push(`${previous} signed with a previous secret`);
    const stray = this.#strayErrors;
    if (stray > 0)
      parts.push(`${stray} error${stray === 1 ? "" : "s"} outside any awaited handler`);
    return parts.join(", ");
  }

  /**
   * The counts as few words, `12 accepted 11 handled`, without what is dead: that number falls
   * again with a retry.
   */
  get brief(): string {
    return this.#ordered()
      .filter(([word]) => word !== "dead")
      .map(([word, count]) => `${count} ${word}`)
      .join("  ");
  }

  get fields(): object {
    const reasons = [...this.#reasons].map(([word, counts]) => [word, Object.fromEntries(counts)]);
    return {
      counts: Object.fromEntries(this.#ordered()),
      reasons: Object.fromEntries(reasons),
      secrets: { ...this.#secrets },
      restamped: this.#restamped,
      strayErrors: this.#strayErrors,
    };
  }

  #ordered(): readonly (readonly [string, number])[] {
    return [...this.#counts].sort(([a], [b]) => COUNTED.indexOf(a) - COUNTED.indexOf(b));
  }

  #add(word: string, reason: string | null): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    if (reason === null) return;
    const reasons = this.#reasons.get(word) ?? new Map<string, number>();
    this.#reasons.set(word, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
  }
}
