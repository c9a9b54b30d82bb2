import type { EntryRow, LiveUpdate, RefusalRow, Row } from "../../api.ts";

/** A row of the list. Its content is replaced when it changes; the object stays. */
export interface Line {
  row: Row;
}

/**
 * The loaded rows, by arrival. Old ones are prepended and new ones appended, so that 100 000 are
 * never sorted again.
 */
export class Lines {
  /** Oldest first. */
  #lines: Line[] = [];
  #byId = new Map<string, Line>();
  /**
   * Refused deliveries older than all loaded entries; shown once entries of their time are loaded.
   */
  #early: RefusalRow[] = [];
  /** Where older rows continue; `null` if all are loaded. */
  next: number | null = null;
  /** Whether they were read at least once. */
  isLoaded = false;

  get count(): number {
    return this.#lines.length;
  }

  /** The row at a position; 0 is the newest. */
  at(position: number): Line | undefined {
    return this.#lines[this.#lines.length - 1 - position];
  }

  find(id: string): Row | undefined {
    return this.#byId.get(id)?.row;
  }

  /** The position of a row, 0 for the newest; -1 if it is not loaded. */
  positionOf(id: string): number {
    const line = this.#byId.get(id);
    return line === undefined ? -1 : this.#lines.length - 1 - this.#lines.lastIndexOf(line);
  }

  /** Starts again with the newest page and the refused deliveries, both newest first. */
  reset(rows: readonly EntryRow[], next: number | null, refusals: readonly RefusalRow[]): void {
    this.#lines = [];
    this.#byId = new Map();
    this.#early = refusals.toReversed();
    this.addPast(rows, next);
    this.isLoaded = true;
  }

  /** Adds an older page, newest first. */
  addPast(rows: readonly EntryRow[], next: number | null): void {
    this.next = next;
    const oldest = rows.at(-1)?.receivedAt ?? Number.POSITIVE_INFINITY;
    const from =
      next === null ? 0 : this.#early.findIndex(({ receivedAt }) => receivedAt >= oldest);
    const due = from === -1 ? [] : this.#early.splice(from);
    const fresh = rows.filter(({ id }) => !this.#byId.has(id)).toReversed();
    const page = merge(fresh, due).map((row): Line => ({ row }));
    for (const line of page) this.#byId.set(line.row.id, line);
    this.#lines = [...page, ...this.#lines];
  }

  /** Applies an update; returns the number of rows added at the top. */
  apply({ rows = [], gone = [], refusals = [] }: LiveUpdate): number {
    const removed = new Set(gone.filter((id) => this.#byId.has(id)));
    if (removed.size > 0) {
      this.#lines = this.#lines.filter(({ row }) => !removed.has(row.id));
      for (const id of removed) this.#byId.delete(id);
    }
    let added = 0;
    for (const row of merge(rows, refusals)) {
      const known = this.#byId.get(row.id);
      if (known !== undefined) known.row = row;
      else if (this.#insert(row)) added++;
    }
    return added;
  }

  /** Inserts a row by its time, unless it is older than the loaded ones. */
  #insert(row: Row): boolean {
    const [first] = this.#lines;
    if (first !== undefined && this.next !== null && row.receivedAt < first.row.receivedAt)
      return false;
    let at = this.#lines.length;
    while (row.receivedAt < (this.#lines[at - 1]?.row.receivedAt ?? 0)) at--;
    const line = { row };
    this.#lines.splice(at, 0, line);
    this.#byId.set(row.id, line);
    return true;
  }
}

function merge(left: readonly Row[], right: readonly Row[]): Row[] {
  if (right.length === 0) return [...left];
  return [...left, ...right].sort((a, b) => a.receivedAt - b.receivedAt);
}
