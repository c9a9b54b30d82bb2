import { hostname } from "node:os";
import { HookporterError } from "../base/errors.ts";

/** A process that erases entries, of which there is one at a time. */
export interface Eraser {
  readonly pid: number;
  /** The name of its machine. */
  readonly machine: string;
  /** When it began: milliseconds since 1970. */
  readonly since: number;
}

/** This process, as one that begins to erase. */
export function thisEraser(): Eraser {
  return { pid: process.pid, machine: hostname(), since: Date.now() };
}

/**
 * Refuses an erasure while another one runs.
 *
 * @param name - the inbox
 * @param other - absent if it is not known, as when it has just begun or ended
 */
export function alreadyErasing(name: string, other: Eraser | undefined): HookporterError {
  const who =
    other === undefined
      ? "another process is erasing entries"
      : `process ${other.pid} on ${other.machine} has been erasing entries since ${new Date(other.since).toISOString()}`;
  return new HookporterError(
    "inbox_busy",
    `expected no other erasure on the inbox ${name}, but ${who}: run this again once that has ended`,
  );
}

const RUNNING_ERASURES = new WeakMap<object, Eraser>();

/** Runs an erasure on a store of this process alone; throws if one is already running on it. */
export async function eraseExclusively<Result>(
  store: object,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const other = RUNNING_ERASURES.get(store);
  if (other !== undefined) throw alreadyErasing(name, other);
  RUNNING_ERASURES.set(store, thisEraser());
  try {
    return await work();
  } finally {
    RUNNING_ERASURES.delete(store);
  }
}
