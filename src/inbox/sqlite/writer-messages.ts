import type { FileIdentities } from "./presence.ts";

/** What a writing thread is started with. */
export interface WriterStart {
  /** The inbox file. */
  readonly path: string;
  /** The files that the inbox was opened with: the thread must not write to others. */
  readonly files: FileIdentities;
  /** Two numbers shared with the thread; see {@link FLAGS}. */
  readonly flags: SharedArrayBuffer;
}

/** What the shared numbers say: 1 while the thread is in SQLite; 1 once it must not begin anything more. */
export const FLAGS = { busy: 0, over: 1 } as const;

/** What goes between the threads: JSON, and the bodies of its deliveries in one piece of memory, which changes hands. */
export interface Packet {
  readonly text: string;
  readonly bodies: ArrayBuffer;
}

/** What a thread says: ready, or the results of the batch it was sent and the milliseconds it took. */
export type WriterAnswer = { readonly ready: true } | { readonly results: Packet; readonly ms: number };
