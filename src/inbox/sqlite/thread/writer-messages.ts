import type { FileIdentities } from "../file/presence.ts";
import type { Packet } from "./packet.ts";

export interface WriterStart {
  readonly path: string;
  /** The files that the inbox was opened with: the thread must not write to any others. */
  readonly files: FileIdentities;
  /** Two numbers that both threads share; see {@link FLAGS}. */
  readonly flags: SharedArrayBuffer;
}

/**
 * The shared numbers: `busy` is 1 while the thread is in SQLite, `over` is 1 once it must not begin
 * anything more.
 */
export const FLAGS = { busy: 0, over: 1 } as const;

/** What the thread is sent: a batch, a file to copy the whole inbox into, or what else to do. */
export type WriterOrder = Packet | { readonly copyInto: string } | "checkpoint" | "close";

/**
 * The thread's answer: that it is ready, the results of a batch and the milliseconds it took, or
 * how a copy ended.
 */
export type WriterAnswer =
  | { readonly ready: true }
  | { readonly results: Packet; readonly ms: number }
  | { readonly copied: boolean; readonly error?: unknown };
