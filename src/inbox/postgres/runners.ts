import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../base/logger.ts";
import type { Role, Runner } from "../runner.ts";
import { sourcesOf } from "./claim.ts";
import type { StoreClock } from "./clock.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import type { Query } from "./session.ts";
import type { Store } from "./store.ts";

/** Milliseconds between two signs of life of a process. */
export const SIGN = 10_000;
/** Milliseconds after its last sign of life until a process counts as gone, and until its record is removed. */
export const GONE = 45_000;
const REMOVED = 600_000;
/** Milliseconds between two looks for dead processes, and from the first sign that one is dead to the second. */
const LOOK = 500;
const DOUBT = 250;
/** A lease's default length in milliseconds. */
const LEASE = 15_000;

/** A session's lock on a process's name. All but its owner take it shared, so that they do not hinder each other. */
const lockOf = (id: string) => `hashtextextended('hookporter runner ' || ${id}, 0)`;

/** Tells one run of a server from the next, and one server from another: locks do not outlive it. */
const SERVER = "extract(epoch FROM pg_postmaster_start_time())::text";

/** That a process held its lock on this run of the server, and no longer does. The second part is tried last. */
const IS_FREE = `server IS NOT DISTINCT FROM ${SERVER} AND pg_try_advisory_xact_lock_shared(${lockOf("id")})`;

/** Removes the records of dead processes, and ends their leases. Their locks are held meanwhile, so none comes back. */
const END_LEASES = `
  WITH dead AS MATERIALIZED (
    DELETE FROM @.runner WHERE id = ANY ($1::text[]) AND ${IS_FREE} RETURNING id
  )
  UPDATE @.turn SET run_at = $2::bigint FROM dead
  WHERE source = ANY ($3::text[]) AND NOT behind AND run_at > $2::bigint AND starts_with(lease, dead.id || '.')
  RETURNING seq`;

/**
 * The processes that share an inbox, this one included. A process with a connection of its own holds a lock on its name
 * there, which the server releases when the process dies, but not while it is paused. So the leases of a process whose
 * lock is free end at once. Without such a connection, as behind a pooler, leases expire.
 */
export class Runners {
  readonly #store: Store;
  readonly #clock: StoreClock;
  readonly #log: Logger | undefined;
  readonly #onEnded: () => void;
  #own: Runner | undefined;
  /** Runs a statement on the connection that holds the lock. */
  #direct: Query | undefined;
  /** The server that the lock is held on. */
  #server: string | null = null;
  #holding: Promise<void> = Promise.resolve();
  /** When this process may believe that a free lock means a dead process; by the monotonic clock. */
  #trustedFrom = 0;
  #timers: NodeJS.Timeout[] = [];
  #signing: Promise<unknown> | undefined;
  #looking: Promise<void> | undefined;
  #left = false;

  /** @param onEnded - called when leases of dead processes have ended */
  constructor(store: Store, clock: StoreClock, log: Logger | undefined, onEnded: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#onEnded = onEnded;
  }

  /** Records this process, or what has changed about it. */
  async register(runner: Runner): Promise<void> {
    await this.#record(runner);
    const isNew = this.#own === undefined;
    this.#own = runner;
    if (!isNew) return;
    const look = () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    };
    this.#timers = [setInterval(() => this.#sign(), SIGN).unref(), setInterval(look, LOOK).unref()];
    this.#hold();
    await this.#holding;
  }

  /** Holds the lock on a connection of this process's own, which is there from now on. */
  connected(query: Query): void {
    this.#direct = query;
    this.#hold();
  }

  /**
   * The connection was lost. If the server ended all of them, no lock is held until the others are back too: for the
   * length of a lease this process takes none of them for dead. If only this one was lost, the others must not take this
   * process for dead, so they are told at once that it holds no lock.
   */
  disconnected(): void {
    const own = this.#own;
    this.#direct = undefined;
    if (this.#server === null) return;
    this.#trustedFrom = performance.now() + LEASE;
    this.#server = null;
    if (own === undefined || this.#left) return;
    this.#holding = this.#holding.then(() => this.#record(own)).catch(() => {}); // a lost server: the lock is taken again
  }

  /** The other recorded processes, except those that are dead or have been silent for long. */
  async others(): Promise<readonly Runner[]> {
    const rows = await this.#store.query(
      `SELECT id, version, role, sources, kinds FROM @.runner
       WHERE id <> $1::text AND seen_at > $2::bigint AND (${IS_FREE}) IS NOT TRUE ORDER BY since, id`,
      [this.#own?.id ?? "", this.#clock.now() - GONE],
    );
    return rows.map(({ id, version, role, sources, kinds }) => ({
      id: String(id),
      version: String(version),
      role: role as Role,
      sources: JSON.parse(String(sources)),
      kinds: JSON.parse(String(kinds)),
    }));
  }

  /** Removes the record of this process. One that cannot be removed now ages, as that of a killed process does. */
  async leave(): Promise<void> {
    this.#left = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#signing, this.#looking, this.#holding]);
    if (this.#own === undefined) return;
    await this.#store.query("DELETE FROM @.runner WHERE id = $1::text", [this.#own.id]).catch(() => {});
    this.#own = undefined;
  }

  /** Takes the lock and records it, one after another with earlier calls. */
  #hold(): void {
    this.#holding = this.#holding.then(async () => {
      const [own, direct] = [this.#own, this.#direct];
      if (own === undefined || direct === undefined || this.#server !== null || this.#left) return;
      try {
        await direct(`SELECT pg_advisory_lock(${lockOf("$1::text")})`, [own.id]);
        const [row] = await direct(`SELECT ${SERVER} AS server`);
        if (this.#direct !== direct) return;
        this.#server = String(row?.server);
        await this.#record(own);
      } catch {
        // The connection was lost, or the record could not be written: the next sign of life tries again.
      }
    });
  }

  /** Shows that this process lives, and removes what those that died long ago left. */
  #sign(): void {
    const own = this.#own;
    if (own === undefined) return;
    this.#hold();
    this.#signing = this.#holding
      .then(() => this.#record(own))
      .then(() =>
        this.#store.query("DELETE FROM @.runner WHERE seen_at < $1::bigint", [this.#clock.now() - REMOVED]),
      )
      .catch(() => {}); // the next sign follows soon
  }

  async #record({ id, version, role, sources, kinds }: Runner): Promise<void> {
    const [own, all] = [this.#clock.now(), [JSON.stringify(sources), JSON.stringify(kinds)] as const];
    await this.#store.query(
      `INSERT INTO @.runner (id, since, seen_at, version, schema, role, sources, kinds, server)
       VALUES ($1::text, $2::bigint, $2::bigint, $3::text, $4::int, $5::text, $6::text, $7::text, $8::text)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, role = excluded.role, sources = excluded.sources,
         kinds = excluded.kinds, server = excluded.server`,
      [id, own, version, SCHEMA_VERSION, role, ...all, this.#server],
    );
  }

  /** Ends the leases of processes whose lock is free, and still free a moment later: one may be taking it again. */
  async #look(): Promise<void> {
    const server = this.#server;
    if (server === null || performance.now() < this.#trustedFrom) return;
    try {
      const free = await this.#store.query(`SELECT id FROM @.runner WHERE id <> $1::text AND ${IS_FREE}`, [
        this.#own?.id ?? "",
      ]);
      if (free.length === 0) return;
      await delay(DOUBT);
      if (this.#server !== server || this.#left) return;
      const sources = await sourcesOf(this.#store, undefined);
      const ids = free.map(({ id }) => String(id));
      const ended = await this.#store.query(END_LEASES, [ids, this.#clock.now(), sources]);
      if (ended.length === 0) return;
      this.#log?.info(
        { entries: ended.length },
        "a process was killed or cut off; the entries it was running run again",
      );
      this.#onEnded();
    } catch {
      // The next look comes soon.
    }
  }
}
