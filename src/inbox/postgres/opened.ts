import type { Appended, NewEntry } from "../append.ts";
import type { Batches } from "./batch.ts";
import type { InsideParts } from "./inside.ts";
import type { KeptLately } from "./kept-lately.ts";
import type { LowWater } from "./low-water.ts";
import type { Runners } from "./runners.ts";
import type { Settling } from "./settle.ts";
import type { Store } from "./store.ts";
import type { Upkeep } from "./upkeep.ts";
import type { Wake } from "./wake.ts";

/** The parts of an open inbox. */
export interface Opened {
  readonly store: Store;
  readonly isReadOnly: boolean;
  readonly keeping: Batches<NewEntry, Appended | undefined>;
  readonly settling: Batches<Settling, boolean>;
  readonly inside: InsideParts;
  readonly upkeep: Upkeep | undefined;
  readonly runners: Runners;
  readonly keptLately: KeptLately;
  readonly lowWater: LowWater;
  readonly wake: Wake;
}
