import { HookporterError } from "../base/errors.ts";

/** If more than this is waiting the store cannot keep up: refuse early rather than grow. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** The refusal of another write, if too much is waiting already; a large one may wait alone. */
export function tooMuchWaiting(
  waiting: { readonly items: number; readonly bytes: number },
  bytes: number,
) {
  const isFull = waiting.items > 0 && waiting.bytes + bytes > MAX_WAITING_BYTES;
  if (waiting.items < MAX_WAITING && !isFull) return undefined;
  return new HookporterError(
    "inbox_busy",
    `expected room for another write, but ${waiting.items} are waiting already: try again later`,
  );
}
