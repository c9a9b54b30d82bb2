import type { Appended, NewEntry } from "../append.ts";
import type { OpenTerms } from "../open-terms.ts";
import { Batches } from "./batch.ts";
import type { StoreClock } from "./clock.ts";
import { connect } from "./connect.ts";
import { isFaultOfRow, isOutage } from "./errors.ts";
import { type InsideParts, insideParts } from "./inside.ts";
import { keepAll } from "./keep.ts";
import { KeptLately } from "./kept-lately.ts";
import { LowWater } from "./low-water.ts";
import { checkEncoding, checkSchema, migrate } from "./migrations.ts";
import type { PostgresTerms } from "./options.ts";
import { Runners } from "./runners.ts";
import { type Settling, settleAll } from "./settle.ts";
import { Store } from "./store.ts";
import type { StoreVitals } from "./store-vitals.ts";
import { Upkeep } from "./upkeep.ts";
import { Wake } from "./wake.ts";

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

/** Connects, makes or checks the tables, and starts what goes on while the inbox is open. */
export async function openParts(
  { access = "own", log }: OpenTerms,
  terms: PostgresTerms,
  clock: StoreClock,
  vitals: StoreVitals,
): Promise<Opened> {
  const session = await connect(terms);
  const store = new Store(session, terms);
  const keptLately = new KeptLately();
  const runners = new Runners(store, clock, log, {
    due: () => wake.due(),
    tellBusy: () => wake.tellBusy(),
    back: () => void keptLately.look(store, Date.now(), log),
  });
  const wake = new Wake(store, session, runners, log);
  const upkeep = access === "own" ? new Upkeep(store, clock, log) : undefined;
  try {
    await checkEncoding(store);
    if (access === "own" && terms.migrate === "auto") await migrate(store);
    await checkSchema(store);
    await upkeep?.start();
    if (access === "own") wake.start();
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
  return {
    ...{ store, isReadOnly: access === "read", upkeep, runners, keptLately, wake },
    keeping: new Batches({
      isFaultOfOne: isFaultOfRow,
      isOutage,
      mayOvertake: ({ orderKey }) => orderKey === null,
      run: (entries) => vitals.timed(keepAll(store, entries)),
    }),
    settling: new Batches({
      isFaultOfOne: isFaultOfRow,
      run: (batch) => vitals.timed(settleAll(store, batch, () => wake.tell())),
      keyOf: ({ settlement }) => settlement.seq,
    }),
    inside: insideParts(store, session, terms, () => wake.tell()),
    lowWater: new LowWater(() => wake.due()),
  };
}
