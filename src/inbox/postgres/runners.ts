import type { Logger } from "../../base/logger.ts";
import { unref } from "../../base/stand-ins.ts";
import { encodeText, toRunner } from "../rows.ts";
import type { Runner } from "../runner.ts";
import { sourcesOf } from "./claim.ts";
import type { StoreClock } from "./clock.ts";
import type { Query, Value } from "./session.ts";
import type { Store } from "./store.ts";

/**
 * Milliseconds between two signs of life of a process: all that an idle one asks of the database,
 * if it is notified.
 */
export const SIGN = 30_000;
/**
 * Milliseconds after its last sign of life until a process counts as gone (one may fail), and until
 * its record is removed.
 */
export const GONE = 75_000;
const REMOVED = 600_000;
/**
 * Milliseconds between two looks for dead processes, and for which all looks must agree that one is
 * dead.
 */
const LOOK = 500;
export const DOUBT = 3000;
/**
 * Milliseconds after the last sign that others run entries for which this process looks whether
 * they die.
 */
const WATCH = 30_000;
/** A lease's default length in milliseconds. */
const LEASE = 15_000;

/** The name of a process's connections. The server shows it to every user. */
export const connectionName = (id: string) => `hookporter ${id}`;

/**
 * A session's lock on a process's name. All but its owner take it shared, so that they do not
 * hinder each other.
 */
const lockOf = (id: string) => `hashtextextended('hookporter runner ' || ${id}, 0)`;

/**
 * Tells one run of a server from the next, and one server from another: locks do not outlive it.
 */
const SERVER = "extract(epoch FROM pg_postmaster_start_time())::text";

/**
 * That a process held its lock on this run of the server, and no longer does. The second part is
 * tried last.
 */
const IS_FREE = `server IS NOT DISTINCT FROM ${SERVER} AND pg_try_advisory_xact_lock_shared(${lockOf("id")})`;

/**
 * The same, and that no other connection of the process is left: one that has lost only that
 * connection is alive.
 */
const IS_CUT = `${IS_FREE}
  AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = '${connectionName("")}' || runner.id)`;

/** A process at its latest sign of life. */
const SIGNED = "runner.id || ' ' || seen_at::text";

/**
 * Removes the records of dead processes, and ends their leases. Their locks are held meanwhile, so
 * none comes back.
 */
const END_LEASES = `
  WITH dead AS MATERIALIZED (
    DELETE FROM @.runner WHERE ${SIGNED} = ANY ($1::text[]) AND ${IS_CUT} RETURNING id
  )
  UPDATE @.turn SET run_at = $2::bigint FROM dead
  WHERE source = ANY ($3::text[]) AND NOT behind AND run_at > $2::bigint AND starts_with(lease, dead.id || '.')
  RETURNING seq`;

/**
 * Takes the lock. A connection of the inbox's own may be idle for long, whatever the role's
 * settings say.
 */
const HOLD = `
  SELECT pg_advisory_lock(${lockOf("$1::text")})::text, ${SERVER} AS server,
    (SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout')`;

const RECORD = `
  INSERT INTO @.runner (id, since, seen_at, version, role, sources, kinds, server)
  VALUES ($1::text, $2::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text)
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, role = excluded.role, sources = excluded.sources,
    kinds = excluded.kinds, server = excluded.server`;

const anyDue = (sources: string, at: string) =>
  `EXISTS (SELECT FROM @.turn WHERE source = ANY (${sources}::text[]) AND NOT behind AND run_at <= ${at}::bigint) AS any_due`;

/**
 * Which other processes have been cut off, by their latest signs of life; and whether a lease has
 * ended.
 */
const LOOK_AROUND = `
  SELECT EXISTS (SELECT FROM @.runner WHERE id <> $1::text) AS any_other,
    to_json(ARRAY (SELECT ${SIGNED} FROM @.runner WHERE id <> $1::text AND ${IS_CUT})) AS cut, ${anyDue("$2", "$3")}`;

/**
 * Shows that a process lives, removes what dead ones left long ago, and reads all that an idle
 * process needs to know.
 */
const PULSE = `
  WITH recorded AS (${RECORD}), removed AS (
    DELETE FROM @.runner WHERE seen_at < $8::bigint AND id <> $1::text
  )
  SELECT extract(epoch FROM clock_timestamp())::float8 * 1000::float8 AS time,
    EXISTS (SELECT FROM @.runner WHERE id <> $1::text AND ${IS_FREE}) AS any_free,
    ${anyDue("$9", "$2")}`;

interface Companions {
  /** Called when entries may be due: those of a dead process, or others. */
  readonly due: () => void;
  /** Says to the other processes that this one may soon be running entries. */
  readonly notifyBusy: () => void;
  /** Called once the database answers again after a connection was lost. */
  readonly back: () => void;
}

/**
 * The processes that share an inbox, this one included. A process with a connection of its own
 * holds a lock on its name there, which the server releases when the process dies, but not while it
 * is paused. So the leases of a process that has no connection and has released its lock end soon.
 * Without such a connection, as behind a pooler, leases expire.
 */
export class Runners {
  readonly #store: Store;
  readonly #clock: StoreClock;
  readonly #log: Logger | undefined;
  readonly #companions: Companions | undefined;
  #own: Runner | undefined;
  /** Runs a statement on the connection that holds the lock, and ends that connection. */
  #direct: { readonly query: Query; readonly end: () => void } | undefined;
  #server: string | null = null;
  #holding: Promise<void> = Promise.resolve();
  /** From when to when this process looks for dead ones, by the monotonic clock. */
  #watch = { from: 0, until: 0 };
  /** Since when processes have looked dead, by their latest sign of life. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #timers: NodeJS.Timeout[] = [];
  #signing: Promise<unknown> | undefined;
  #looking: Promise<void> | undefined;
  #left = false;
  #wasCutOff = false;

  /** @param companions - absent for a process that only looks in */
  constructor(store: Store, clock: StoreClock, log?: Logger, companions?: Companions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#companions = companions;
  }

  async register(runner: Runner): Promise<void> {
    await this.#record(runner);
    const isNew = this.#own === undefined;
    this.#own = runner;
    if (!isNew) return;
    this.#timers = [
      unref(setInterval(() => this.#sign(), SIGN)),
      unref(
        setInterval(() => {
          this.#looking ??= this.#look().finally(() => {
            this.#looking = undefined;
          });
        }, LOOK),
      ),
    ];
    this.#hold();
    await this.#holding;
  }

  /** Holds the lock on a connection of this process's own, which is there from now on. */
  connected(query: Query, end: () => void): void {
    this.#direct = { query, end };
    this.#hold();
    this.#answered();
  }

  /**
   * The connection was lost. If the server ended all of them, no lock is held until the others are
   * back too: for the length of a lease this process takes none of them for dead. If only this one
   * was lost, the others must not take this process for dead, so they are told at once that it
   * holds no lock.
   */
  disconnected(): void {
    const own = this.#own;
    this.#direct = undefined;
    this.#wasCutOff = true;
    if (this.#server === null) return;
    this.#watch.from = performance.now() + LEASE;
    this.#suspects = new Map();
    this.#server = null;
    if (own === undefined || this.#left) return;
    // a lost server: the lock is taken again
    this.#holding = this.#holding.then(() => this.#record(own)).catch(() => {});
  }

  /** Another process may be running entries, so this one looks whether it dies. */
  othersBusy(): void {
    this.#watch.until = performance.now() + WATCH;
  }

  /** The other recorded processes, except those that are dead or have been silent for long. */
  async others(): Promise<readonly Runner[]> {
    const rows = await this.#store.query(
      `SELECT id, since, version, role, sources, kinds FROM @.runner
       WHERE id <> $1::text AND seen_at > $2::bigint AND (${IS_FREE}) IS NOT TRUE ORDER BY since, id`,
      [this.#own?.id ?? "", this.#clock.now() - GONE],
    );
    return rows.map(toRunner);
  }

  /**
   * Removes the record of this process. One that cannot be removed now ages, as that of a killed
   * process does.
   */
  async leave(): Promise<void> {
    this.#left = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#signing, this.#looking, this.#holding]);
    if (this.#own === undefined) return;
    await this.#store
      .query("DELETE FROM @.runner WHERE id = $1::text", [this.#own.id])
      .catch(() => {});
    this.#own = undefined;
  }

  /** Takes the lock and records it, one after another with earlier calls. */
  #hold(): void {
    this.#holding = this.#holding.then(async () => {
      const own = this.#own;
      const direct = this.#direct;
      if (own === undefined || direct === undefined || this.#server !== null || this.#left) return;
      try {
        const [row] = await direct.query(HOLD, [own.id]);
        if (this.#direct !== direct) return;
        this.#server = String(row?.server);
        await this.#record(own);
        this.othersBusy(); // one may have died before this process began
        this.#companions?.notifyBusy(); // the others watch this one from now on
      } catch {
        // The connection was lost, or the record could not be written: the next sign of life tries
        // again.
      }
    });
  }

  /**
   * Uses the connection that listens, since a network may cut off a connection that is silent for
   * long.
   */
  #sign(): void {
    this.#hold();
    this.#signing = this.#holding
      .then(() => this.#pulse())
      .catch(() => {
        this.#wasCutOff = true;
        this.#direct?.end(); // it is opened again
      });
  }

  #answered(): void {
    if (this.#wasCutOff) this.#companions?.back();
    this.#wasCutOff = false;
  }

  async #pulse(): Promise<void> {
    const own = this.#own;
    const direct = this.#direct;
    if (own === undefined || this.#left) return;
    const sources = own.sources.map(encodeText);
    const values = [...this.#recordOf(own), this.#clock.now() - REMOVED, sources];
    const sent = performance.now();
    const [row] = await (direct?.query(this.#store.sql(PULSE), values) ??
      this.#store.query(PULSE, values));
    this.#clock.note(Number(row?.time), sent);
    this.#answered();
    if (row?.any_free === true) this.othersBusy();
    if (row?.any_due === true) this.#companions?.due();
  }

  async #record(own: Runner): Promise<void> {
    await this.#store.query(RECORD, this.#recordOf(own));
  }

  #recordOf({ id, version, role, sources, kinds }: Runner): readonly Value[] {
    const lists = [JSON.stringify(sources), JSON.stringify(kinds)];
    return [id, this.#clock.now(), version, role, ...lists, this.#server];
  }

  /**
   * Ends the leases of processes that have looked dead for a while: one may be opening its
   * connections again.
   */
  async #look(): Promise<void> {
    const now = performance.now();
    const own = this.#own;
    const server = this.#server;
    if (own === undefined || server === null || now < this.#watch.from || now > this.#watch.until)
      return;
    try {
      const values = [own.id, own.sources.map(encodeText), this.#clock.now()];
      const [row] = await this.#store.query(LOOK_AROUND, values);
      if (row?.any_other !== true) this.#watch.until = 0; // it will be heard of
      if (row?.any_due === true) this.#companions?.due();
      const cut = row?.cut as readonly string[];
      this.#suspects = new Map(cut.map((signed) => [signed, this.#suspects.get(signed) ?? now]));
      const dead = cut.filter((signed) => now - (this.#suspects.get(signed) ?? now) >= DOUBT);
      if (cut.length > 0) this.othersBusy();
      if (dead.length === 0 || this.#server !== server || this.#left) return;
      const sources = await sourcesOf(this.#store, undefined);
      const ended = await this.#store.query(END_LEASES, [dead, this.#clock.now(), sources]);
      this.#companions?.due(); // it may also have kept entries, and died before it said so
      const message = "a process was killed or cut off; the entries it was running run again";
      if (ended.length > 0) this.#log?.info({ entries: ended.length }, message);
    } catch {
      // The next look comes soon.
    }
  }
}
