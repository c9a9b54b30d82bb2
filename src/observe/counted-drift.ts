import type { Counter } from "prom-client";
import { eventKinds } from "../event/kinds.ts";
import type { Drift } from "../receiver/drift.ts";
import { OTHER } from "./bounded-label.ts";
import type { MetricSet } from "./metric-set.ts";
import { kindLabel } from "./outcome-labels.ts";

const CHANGES: readonly Drift["what"][] = ["new field", "field gone", "type changed", "new value"];

/** Counts how events began to differ from those before. */
export class CountedDrift {
  readonly #total: Counter<"kind" | "change">;

  constructor(set: MetricSet) {
    this.#total = set.counter(
      "hookporter_drift_differences_total",
      "Ways in which events began to differ from the shape file, each counted once, by kind and change.",
      ["kind", "change"],
    );
    // From 0, so that the first difference is an increase.
    for (const kind of [...eventKinds, OTHER])
      for (const change of CHANGES) this.#total.inc({ kind, change }, 0);
  }

  count({ kind, what }: Drift): void {
    this.#total.inc({ kind: kindLabel(kind), change: what });
  }
}
