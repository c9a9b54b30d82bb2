import type { DamagedDeliveries } from "./care/damaged-deliveries.ts";
import type { Connection } from "./connection.ts";
import type { Runners } from "./processes/runners.ts";
import type { Trust } from "./trust.ts";

/** The parts of an open inbox. */
export interface Opened {
  readonly access: "own" | "change" | "read";
  readonly connection: Connection;
  readonly runners: Runners;
  readonly trust: Trust;
  readonly damaged: DamagedDeliveries;
  readonly upkeep: NodeJS.Timeout | undefined;
}
