/** The maximum number of entries that can be selected; the oldest are forgotten. */
const REMEMBERED = 500;

export interface RecentEntry {
  readonly seq: number;
  /** Such as `payment.overdue  failing`. */
  readonly text: string;
}

/** The entries that the live view has shown, newest last, and which of them is selected. */
export class RecentEntries {
  readonly #entries = new Map<number, string>();
  #selected: number | undefined;

  /** Notes what an entry has become. It keeps its place. */
  note(seq: number, text: string): void {
    this.#entries.set(seq, text);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > REMEMBERED && oldest !== undefined) this.#entries.delete(oldest);
  }

  get selected(): RecentEntry | undefined {
    return this.#at(this.#selected);
  }

  get newest(): RecentEntry | undefined {
    return this.#at([...this.#entries.keys()].at(-1));
  }

  /** Selects the entry above or below, beginning with the newest. */
  move(step: -1 | 1): void {
    const all = [...this.#entries.keys()];
    const at = this.#selected === undefined ? -1 : all.indexOf(this.#selected);
    const next = at === -1 ? all.length - 1 : Math.min(Math.max(0, at + step), all.length - 1);
    this.#selected = all[next];
  }

  unselect(): void {
    this.#selected = undefined;
  }

  #at(seq: number | undefined): RecentEntry | undefined {
    const text = seq === undefined ? undefined : this.#entries.get(seq);
    return seq === undefined || text === undefined ? undefined : { seq, text };
  }
}
