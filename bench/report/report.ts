import type { Machine } from "../machine.ts";
import type { measureAgeing } from "../sections/ageing.ts";
import type { Handling } from "../sections/handling.ts";
import type { Measured } from "../sections/measured.ts";
import type { PendingMemory } from "../sections/pending.ts";
import type { Replay } from "../sections/replay.ts";
import type { StartUp } from "../sections/start-up.ts";

/** Everything one run of the bench found; sections that were not asked for are missing. */
export interface Report {
  readonly form: "short" | "long";
  /** When it began, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
  readonly loads: readonly Measured[] | undefined;
  readonly ageing: Awaited<ReturnType<typeof measureAgeing>> | undefined;
  readonly handling: Handling | undefined;
  readonly pending: PendingMemory | undefined;
  readonly startUp: readonly StartUp[] | undefined;
  readonly replay: Replay | undefined;
}
