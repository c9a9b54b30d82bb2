import type { SandboxObservation } from "../../sandbox/observation.ts";

/** What is counted, in the order of printing. */
const COUNTED = ["answered", "subscribed", "attempted", "delivered", "failed"] as const;

/** Counts a sandbox's requests, and the results of its deliveries. */
export class SandboxTally {
  readonly #counts = new Map<(typeof COUNTED)[number], number>();

  count(observation: SandboxObservation): void {
    if (observation.type === "request") this.#add("answered");
    if (observation.type === "subscription" && observation.change === "created") this.#add("subscribed");
    if (observation.type !== "attempt") return;
    this.#add("attempted");
    const { state } = observation.delivery;
    if (state === "delivered" || state === "failed") this.#add(state);
  }

  /** The counts as one line, such as `12 answered, 3 attempted, 2 delivered`. */
  get line(): string {
    const parts = this.#ordered().map(([word, count]) => `${count} ${word}`);
    return parts.length === 0 ? "no requests" : parts.join(", ");
  }

  /** The counts as fields of a record. */
  get fields(): object {
    return { counts: Object.fromEntries(this.#ordered()) };
  }

  #ordered(): readonly (readonly [string, number])[] {
    return COUNTED.flatMap((word) => {
      const count = this.#counts.get(word);
      return count === undefined ? [] : [[word, count] as const];
    });
  }

  #add(word: (typeof COUNTED)[number]): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }
}
