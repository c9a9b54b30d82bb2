import { addNote, type SenderNote, type SenderRecord } from "../senders.ts";

/** What receivers know of signatures, in memory. */
export class Senders {
  readonly #records = new Map<string, SenderRecord>();

  readonly all = async (): Promise<readonly SenderRecord[]> => [...this.#records.values()];

  /** Adds what a receiver saw. */
  readonly record = async (note: SenderNote): Promise<SenderRecord> => {
    const { source } = note;
    const record = addNote(this.#records.get(source) ?? { source, days: [] }, note);
    this.#records.set(source, record);
    return record;
  };
}
