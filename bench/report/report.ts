import type { Machine } from "../machine.ts";
import type { measureAgeing } from "../sections/ageing.ts";
import type { Handling } from "../sections/handling.ts";
import type { Measured } from "../sections/measured.ts";
import type { PendingMemory } from "../sections/pending.ts";
import type { Profiled } from "../sections/profile.ts";
import type { Replay } from "../sections/replay.ts";
import type { SlowDisk } from "../sections/slow-disk.ts";
import type { StartUp } from "../sections/start-up.ts";

/** What the sections of the bench found; those that were not asked for are missing. */
export interface Findings {
  readonly startUp?: readonly StartUp[];
  readonly loads?: readonly Measured[];
  readonly slowDisk?: SlowDisk;
  readonly ageing?: Awaited<ReturnType<typeof measureAgeing>>;
  readonly handling?: Handling;
  readonly pending?: PendingMemory;
  readonly replay?: Replay;
  readonly profiles?: readonly Profiled[];
}

/** Everything one run of the bench found, or several runs that were added up. */
export interface Report extends Findings {
  readonly form: "short" | "long";
  /** When the latest run began, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
}

/** What must be alike for the sections of two runs to stand in one report. */
const ALIKE = ["processor", "cores", "system", "node", "sqlite", "generator", "placement", "build"] as const;

/**
 * A report that goes on from an earlier one: the sections found there stay until they are measured again.
 *
 * @throws TypeError where the two are of different forms, machines, versions or builds
 */
export function goOnFrom(earlier: Report, report: Report): Report {
  const differences = ALIKE.filter((name) => earlier.machine[name] !== report.machine[name]);
  const versions = [earlier, report].map(({ machine }) => JSON.stringify(machine.versions));
  const what: readonly string[] = [
    ...(earlier.form === report.form ? [] : ["form"]),
    ...differences,
    ...(versions[0] === versions[1] ? [] : ["versions"]),
  ];
  if (what.length > 0) {
    throw new TypeError(`expected --add to go on from a run alike, got another ${what.join(", ")}`);
  }
  return { ...earlier, ...report };
}
