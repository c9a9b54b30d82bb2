import type { Drift } from "../../receiver/drift.ts";
import type { DriftNote } from "../api.ts";

const MOST = 200;

/** How events began to differ from those before, since `listen` started. */
export class Drifts {
  /** Newest first. */
  notes: readonly DriftNote[] = [];

  note({ kind, path, what, expected, got, seq }: Drift, at: number): void {
    this.notes = [{ at, seq, kind, path, what, expected, got }, ...this.notes].slice(0, MOST);
  }

  /** Those that an entry is the example of. */
  of(seq: number): readonly DriftNote[] {
    return this.notes.filter((note) => note.seq === seq).toReversed();
  }
}
