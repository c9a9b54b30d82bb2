import type { Appended, NewEntry } from "../append.ts";
import type { OpenTerms } from "../inbox.ts";
import { timedCommit } from "../vitals.ts";
import { Batches } from "./batch.ts";
import type { StoreClock } from "./clock.ts";
import { connect } from "./connect.ts";
import { ENCRYPT } from "./encryption.ts";
import { isFaultOfRow, isOutage } from "./errors.ts";
import { insideParts } from "./inside.ts";
import { keepAll } from "./keep.ts";
import { keptLately } from "./kept-lately.ts";
import { lowWater } from "./low-water.ts";
import { checkEncoding, checkSchema, type Migration, migrate } from "./migrations.ts";
import type { PostgresTerms } from "./postgres-options.ts";
import { Runners } from "./runners.ts";
import { type Settling, settleAll } from "./settle.ts";
import { Store } from "./store.ts";
import { Wake } from "./wake.ts";

export type OpenedDatabase = Awaited<ReturnType<typeof openParts>>;

const UNENCRYPTED = `the connection to the database is not encrypted, as its server has no TLS: ${ENCRYPT}`;

/** Connects, makes or checks the tables, and starts what goes on while the inbox is open. */
export async function openParts(
  { access = "own", log, onDue, onCommit }: OpenTerms,
  terms: PostgresTerms,
  clock: StoreClock,
  migrations: readonly Migration[],
) {
  const session = await connect(terms, (address) => log?.warn({ address }, UNENCRYPTED));
  const store = new Store(session, terms);
  const kept = keptLately();
  const runners = new Runners(store, clock, log, {
    due: () => wake.due(),
    notifyBusy: () => wake.notifyBusy(),
    back: () => void kept.look(store, Date.now(), log),
  });
  const wake = new Wake(store, session, runners, log, onDue);
  try {
    await checkEncoding(store);
    if (access === "own" && terms.migrate === "auto") await migrate(store, migrations);
    await checkSchema(store, access === "own" ? "user" : "reader", migrations.length);
    if (access === "own") {
      await clock.measure(store).catch(() => {}); // again with each sign of life
      wake.start();
    }
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
  return {
    store,
    isReadOnly: access === "read",
    runners,
    keptLately: kept,
    wake,
    keeping: new Batches<NewEntry, Appended | undefined>({
      isFaultOfOne: isFaultOfRow,
      isOutage,
      mayOvertake: ({ orderKey }) => orderKey === null,
      run: (entries) => timedCommit(keepAll(store, entries), onCommit),
    }),
    settling: new Batches<Settling, boolean>({
      isFaultOfOne: isFaultOfRow,
      run: (batch) =>
        timedCommit(
          settleAll(store, batch, () => wake.notify()),
          onCommit,
        ),
      keyOf: ({ settlement }) => settlement.seq,
    }),
    inside: insideParts(store, session, terms, () => wake.notify()),
    lowWater: lowWater(() => wake.due()),
  };
}
