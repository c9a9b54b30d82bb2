import type { Form } from "../form.ts";
import type { Machine } from "../machine.ts";
import type { Account } from "../sections/account.ts";
import type { Against } from "../sections/against.ts";
import type { measureAgeing } from "../sections/ageing.ts";
import type { Flood } from "../sections/floods.ts";
import type { Growth } from "../sections/growth.ts";
import type { Measured } from "../sections/measured.ts";
import type { Peers } from "../sections/peers.ts";
import type { PendingMemory } from "../sections/pending.ts";
import type { OnPostgres } from "../sections/postgres.ts";
import type { Profiled } from "../sections/profile.ts";
import type { Replay } from "../sections/replay.ts";
import type { SlowDisk } from "../sections/slow-disk.ts";
import type { StartUp } from "../sections/start-up.ts";
import type { Floor } from "../server/measure-floor.ts";

/** The results of the bench's sections; those that were not requested are missing. */
export interface Findings {
  readonly floor?: Floor;
  readonly account?: readonly Account[];
  readonly startUp?: readonly StartUp[];
  readonly loads?: readonly Measured[];
  readonly slowDisk?: SlowDisk;
  readonly ageing?: Awaited<ReturnType<typeof measureAgeing>>;
  readonly pending?: PendingMemory;
  readonly growth?: readonly Growth[];
  readonly replay?: Replay;
  readonly floods?: readonly Flood[];
  readonly postgres?: OnPostgres;
  readonly peers?: Peers;
  readonly against?: Against;
  readonly profiles?: readonly Profiled[];
}

/** All results of one run of the bench, or of several combined runs. */
export interface Report extends Findings {
  readonly form: Form["name"];
  /** When the latest run started, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
}

/** What must be equal for two runs to be combined in one report. */
const ALIKE = [
  "processor",
  "cores",
  "system",
  "node",
  "sqlite",
  "generator",
  "placement",
  "build",
] as const;

/**
 * Continues an earlier report: its sections are kept until they are measured again.
 *
 * @throws TypeError if the two have different forms, machines, versions or builds
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
    throw new TypeError(
      `expected --add to continue a run with the same setup, got a different ${what.join(", ")}`,
    );
  }
  return { ...earlier, ...report };
}
