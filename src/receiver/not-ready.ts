import { HookporterError } from "../base/errors.ts";

/**
 * The phase of a receiver: created, opening its inbox, accepting deliveries, or closed (also while
 * it closes).
 */
export type Phase = "new" | "starting" | "started" | "closed";

/** Why no delivery is accepted; `undefined` if they are. */
export function notReady(
  phase: Phase,
  damage: HookporterError | undefined,
): HookporterError | undefined {
  if (phase === "started") return damage;
  if (phase === "closed") return closed("an open receiver", "a closed one");
  return closed("a started receiver", "one that was not started", "call start() first");
}

/** The error for a receiver that is used too early or too late. */
export function closed(
  expected: string,
  got: string,
  fix = "create a new receiver",
): HookporterError {
  return new HookporterError("closed", `expected ${expected}, got ${got}: ${fix}`);
}
