import type { Connection } from "./connection.ts";
import type { DamagedDeliveries } from "./damaged-deliveries.ts";
import type { Runners } from "./runners.ts";
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
