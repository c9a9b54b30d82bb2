/** The maximum number of entries whose sender is remembered. */
const MAX_ENTRIES = 10_000;

/** The addresses from which recent deliveries came. The inbox does not keep them. */
export class Senders {
  readonly #addresses = new Map<number, string>();

  /** Remembers the sender of an entry's first delivery. */
  note(seq: number, address: string | undefined): void {
    if (address === undefined || this.#addresses.has(seq)) return;
    this.#addresses.set(seq, address.replace(/^::ffff:(?=\d+\.)/, ""));
    const [oldest] = this.#addresses.keys();
    if (this.#addresses.size > MAX_ENTRIES && oldest !== undefined) this.#addresses.delete(oldest);
  }

  of(seq: number): string | null {
    return this.#addresses.get(seq) ?? null;
  }
}
