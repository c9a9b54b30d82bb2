import { setTimeout as delay } from "node:timers/promises";
import { HookporterError } from "../../base/errors.ts";
import { isErrorNamed } from "../../base/guards.ts";
import type { InsideEnd, InsideResult, InsideTerms, Progress } from "../inbox.ts";
import type { Settlement } from "../settlement.ts";
import { inboxError, stateOf } from "./errors.ts";
import {
  type OpenTransaction,
  ownTransactions,
  sessionTransactions,
} from "./handler-transactions.ts";
import type { PostgresTerms } from "./postgres-options.ts";
import { ABANDONED, type PostgresSession, type Query, ROLLED_BACK } from "./session.ts";
import { storeInside, wasStored } from "./settle.ts";
import { type Store, TIMEOUT } from "./store.ts";

/** Milliseconds beyond the handler's time after which the server ends its transaction by itself. */
export const SLACK = 1000;
/** Milliseconds that an abandoned transaction is waited for. */
const ABANDONED_WAIT = 5000;
/** Milliseconds between attempts to read a result back: the first wait, and the longest. */
const FIRST_WAIT = 50;
const LAST_WAIT = 1000;

type InsideParts = ReturnType<typeof insideParts>;

/** @param onReleased - called once a result is stored that lets entries run that were held back */
export function insideParts(
  store: Store,
  session: PostgresSession,
  terms: PostgresTerms,
  onReleased: () => void,
) {
  const { connection, transaction } = terms;
  // Whether the server ends transactions of a client that is gone: a database in this process has
  // no such client.
  const isServer =
    transaction !== undefined || typeof connection === "string" || "connect" in connection;
  const run =
    transaction === undefined
      ? sessionTransactions(session, TIMEOUT)
      : ownTransactions(transaction);
  return { store, run, isServer, onReleased };
}

/** Runs a handler in a transaction, and stores its result last in it. */
export async function runInside(
  work: (tx: unknown) => Promise<InsideEnd>,
  terms: InsideTerms,
  { store, run, isServer, onReleased }: InsideParts,
): Promise<InsideResult> {
  let stored: Settlement | Progress | undefined;
  let result: InsideResult | undefined;
  let isAbandoned = false;
  let releases = false;
  let abandon = () => {};
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const inTransaction = async (open: OpenTransaction) => {
    const query: Query = (text, values) => open.query(store.sql(text), values);
    const end = await endOf(open, query);
    if (typeof end === "string") {
      result = "rolled_back";
      isAbandoned = end === "abandon";
      if (isAbandoned) abandon();
      throw end === "abandon" ? ABANDONED : ROLLED_BACK;
    }
    if (!(await storeInside(query, end, terms.now(), () => (releases = true)))) {
      result = "refused";
      throw ROLLED_BACK;
    }
    stored = end;
  };
  const endOf = async ({ tx, revoke }: OpenTransaction, query: Query): Promise<InsideEnd> => {
    try {
      if (isServer) await query(limitsOf(terms.timeout + SLACK));
      return await work(tx);
    } finally {
      revoke();
    }
  };
  const running = run(inTransaction);
  try {
    // A statement that is under way may hold up a rollback.
    await Promise.race([
      running,
      abandoned.then(() => delay(ABANDONED_WAIT, undefined, { ref: false })),
    ]);
  } catch (thrown) {
    if (result !== undefined) return result;
    if (stored === undefined && stateOf(thrown) === "25P02") {
      throw new HookporterError(
        "inbox_unavailable",
        "expected the handler's transaction to be usable at its end, but one of its statements had failed: let the error be thrown, " +
          "or run a statement that may fail within a SAVEPOINT",
        { cause: thrown },
      );
    }
    if (stored === undefined)
      throw isErrorNamed("TypeError", thrown) ? thrown : inboxError(store.name, thrown);
    const end = await readBack(stored, store, terms);
    if (end === "rolled_back") throw thrown;
    return end;
  } finally {
    if (releases) onReleased();
  }
  if (result === undefined) return "committed";
  if (isAbandoned) return result;
  throw new TypeError("expected transaction to reject if its function rejects, got a commit");
}

/**
 * Looks up a result whose commit may have been cut off, while the lease holds: then only we say
 * what is next.
 */
async function readBack(result: Settlement | Progress, store: Store, { isLeased }: InsideTerms) {
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LAST_WAIT)) {
    try {
      return await wasStored(store, result);
    } catch {
      if (!isLeased()) return "unknown";
      await delay(wait);
    }
  }
}

/**
 * Lets the server end a transaction whose client is gone, so that its locks do not outlast the
 * handler. Shorter limits of the role stay.
 */
function limitsOf(ms: number): string {
  const limit = (name: string) =>
    `set_config('${name}', CASE WHEN current_setting('${name}')::interval BETWEEN interval '1 ms' AND interval '${ms} ms'
       THEN current_setting('${name}') ELSE '${ms}' END, true)`;
  return `SELECT ${limit("idle_in_transaction_session_timeout")}, ${limit("statement_timeout")}`;
}
