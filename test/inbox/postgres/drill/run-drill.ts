import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { stateCounts, totalOf } from "../../../../src/inbox/counts.ts";
import { postgresStore } from "../../../../src/inbox/postgres.ts";
import { seededRandom } from "../../../../src/relay/random.ts";
import { Crowd, type Terms } from "../crowd.ts";
import { startDelayingProxy } from "../delaying-proxy.ts";
import type { Pooler, PostgresServer } from "../server.ts";
import { type Cause, causesOfRuns, type Run, type Standstill } from "./causes.ts";

/** Milliseconds of a lease. */
const LEASE = 5000;
/** The place of the process whose connections lead through the pooler. */
const POOLED = 4;

/** Milliseconds without progress after which what is left counts as stuck. */
const STALLED = 60_000;
/** Entries of the backlog have numbers from this one on. */
const BACKLOG_FROM = 1_000_000;

export interface DrillTerms {
  readonly server: PostgresServer;
  readonly pooler: Pooler | undefined;
  readonly schema: string;
  /** Whether handlers write in the transaction of their entry. */
  readonly tx: boolean;
  readonly seconds: number;
  /**
   * Entries that are there at once, halfway, after the table of what waits was vacuumed while it
   * was empty.
   */
  readonly backlog: number;
}

/** What a drill counted. */
export interface DrillFigures {
  readonly events: number;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly lost: number;
  readonly stuck: number;
  readonly keptTwice: number;
  /**
   * Entries that were claimed more than once, also those that a killed process had not begun to
   * run.
   */
  readonly again: number;
  /** How often a handler ran again, by what became of the run before. */
  readonly ranAgain: Readonly<Record<string, number>>;
  /** Runs that followed another though nothing was done to its process. */
  readonly ranAgainWithoutCause: readonly string[];
  /** Processes that ended by themselves. */
  readonly died: readonly string[];
  /** How runs failed, by the error's code. */
  readonly failures: Readonly<Record<string, number>>;
  readonly effectsTwice: number;
  /** What the processes logged as a warning or an error, by its text. */
  readonly logged: Readonly<Record<string, number>>;
}

/** Six processes on one inbox, and everything that may happen to them, at random. */
export async function runDrill(terms: DrillTerms): Promise<DrillFigures> {
  const { server, pooler, schema, tx } = terms;
  const random = seededRandom(7);
  const admin = new pg.Pool({ connectionString: server.url, max: 3 });
  admin.on("error", () => {}); // the server is restarted
  const ask = async (text: string, values: unknown[] = []) => {
    for (let tries = 1; ; tries++) {
      try {
        return (await admin.query(text, values)).rows;
      } catch (thrown) {
        if (tries === 20) throw thrown;
        await delay(500);
      }
    }
  };
  const far = await startDelayingProxy(server.url, 100);
  const notes = mkdtempSync(join(tmpdir(), "hookporter-drill-"));
  const crowd = new Crowd(processes(server, pooler, far.url), { schema, tx, lease: LEASE, notes });
  const inbox = postgresStore(server.url, { schema });
  await inbox.open();
  await ask(`CREATE SCHEMA IF NOT EXISTS ${schema}_effects`);
  await ask(
    `CREATE TABLE ${schema}_effects.effect (at bigserial, id text, number int, key text, attempt int)`,
  );
  try {
    await crowd.startAll();
    const counts: Record<string, number> = {};
    const sent = await disturb(terms, { crowd, ask, random, counts });
    await acknowledge(crowd, sent);
    const stuck = await drain(inbox);
    await crowd.killAll();
    const entries = await ask(
      `SELECT count(*)::int AS n, count(DISTINCT event_id)::int AS ids FROM ${schema}.entry`,
    );
    const effects = await ask(
      `SELECT number, count(*)::int AS n FROM ${schema}_effects.effect GROUP BY number ORDER BY number`,
    );
    const again = await ask(
      `SELECT count(*)::int AS n FROM (SELECT attempts FROM ${schema}.handled WHERE attempts > 1) x`,
    );
    const { runs, failures, still } = readNotes(notes);
    const { byCause, withoutCause } = causesOfRuns(runs, crowd.disturbances, LEASE, still);
    const had = new Set(effects.map(({ number }) => number));
    const expected = [
      ...Array.from({ length: sent }, (_, number) => number),
      ...Array.from(
        { length: counts.backlog === undefined ? 0 : terms.backlog },
        (_, n) => BACKLOG_FROM + n + 1,
      ),
    ];
    return {
      events: expected.length,
      disturbances: counts,
      lost: expected.filter((number) => !had.has(number)).length,
      stuck,
      keptTwice:
        entries[0].n -
        entries[0].ids +
        [...crowd.answered.values()].filter(({ fresh }) => fresh > 1).length,
      again: again[0].n,
      ranAgain: byCause,
      ranAgainWithoutCause: withoutCause,
      died: crowd.died,
      failures,
      effectsTwice: effects.filter(({ n }) => n > 1).length,
      logged: Object.fromEntries(crowd.logged),
    };
  } finally {
    await crowd.killAll();
    await inbox.close();
    await far.stop();
    rmSync(notes, { recursive: true, force: true });
    await admin
      .query(`DROP SCHEMA ${schema}_effects CASCADE; DROP SCHEMA ${schema} CASCADE`)
      .catch(() => {});
    await admin.end();
  }

  async function drain(of: typeof inbox): Promise<number> {
    let waiting = Number.POSITIVE_INFINITY;
    for (let since = Date.now(); waiting > 0 && Date.now() - since < STALLED; await delay(300)) {
      const counts = await of.counts();
      const open = counts.waiting + counts.failing + counts.running;
      if (open < waiting) since = Date.now();
      waiting = open;
    }
    const { handled: _, ...others } = stateCounts(await of.counts());
    return totalOf({ handled: 0, ...others });
  }
}

/** The runs that processes noted, each process in the file of its name, and when it stood still. */
function readNotes(folder: string) {
  const runs: Run[] = [];
  const still: Standstill[] = [];
  const failures: Record<string, number> = {};
  for (const process of readdirSync(folder)) {
    const open = new Map<string, { number: number; process: string; from: number; to?: number }>();
    const lines = readFileSync(join(folder, process), "utf8").split("\n").filter(Boolean);
    for (const { number, attempt, at, change, still: ms } of lines.map((line) =>
      JSON.parse(line),
    )) {
      if (ms !== undefined) {
        still.push({ process, from: at - ms, to: at });
        continue;
      }
      const key = `${number} ${attempt}`;
      const begun = open.get(key);
      if (change === "begun") {
        const run = { number, process, from: at };
        open.set(key, run);
        runs.push(run);
      } else if (begun !== undefined) {
        begun.to = at;
        if (change !== "ended") failures[change] = (failures[change] ?? 0) + 1;
      }
    }
  }
  return { runs, failures, still };
}

/**
 * Two that receive and four that run: directly, from afar, through a pooler, and with a role's
 * setting that hurts.
 */
function processes(
  server: PostgresServer,
  pooler: Pooler | undefined,
  far: string,
): readonly Terms[] {
  const pooled = pooler?.url ?? server.url;
  return [
    { role: "receive", url: server.url },
    { role: "receive", url: far },
    { role: "run", url: server.url },
    { role: "run", url: far },
    { role: "run", url: pooled },
    { role: "run", url: `${server.url}?options=-cenable_indexscan%3Doff` },
  ];
}

interface Parts {
  readonly crowd: Crowd;
  readonly ask: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  readonly random: () => number;
  readonly counts: Record<string, number>;
}

/** Sends events, and disturbs everything meanwhile; resolves to how many events were sent. */
async function disturb(
  { server, pooler, schema, seconds, backlog }: DrillTerms,
  parts: Parts,
): Promise<number> {
  const { crowd, ask, random, counts } = parts;
  const many = crowd.size;
  const any = () => Math.floor(random() * many);
  const connections = "datname = current_database() AND pid <> pg_backend_pid()";
  const listening = "query LIKE '%pg_postmaster_start_time%' AND application_name <> ''";
  const noted = async (
    cause: Cause,
    run: () => Promise<unknown> | undefined,
    reaches?: (process: string) => boolean,
  ) => {
    const from = Date.now();
    await run();
    crowd.disturbances.push({
      cause,
      from,
      to: Date.now(),
      ...(reaches !== undefined && { reaches }),
    });
  };
  const isPooled = (process: string) => process.startsWith(`${POOLED}.`);
  const cut = () =>
    ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${connections}`);
  const ways: readonly (readonly [
    name: string,
    weight: number,
    run: () => Promise<unknown> | undefined,
  ])[] = [
    ["kill", 10, () => crowd.replace(any())],
    ["freeze", 4, () => crowd.freeze(any(), 200 + random() * 4000)],
    ["server restart", 0.5, () => noted("server restart", () => server.restart?.())],
    ["pooler restart", 1, () => noted("pooler kill", () => pooler?.restart(), isPooled)],
    ["all connections cut", 1, () => noted("cut connection", cut)],
    [
      "listening connections cut",
      2,
      () =>
        ask(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${connections} AND ${listening}`,
        ),
    ],
    ["vacuum", 1, () => ask(`VACUUM (TRUNCATE false) ${schema}.turn`)],
    ["analyze", 1, () => ask(`ANALYZE ${schema}.turn`)],
    ["foreign transaction", 1, () => openTransaction(server.url, schema, 5000 + random() * 20_000)],
  ];
  const total = ways.reduce((sum, [, weight]) => sum + weight, 0);
  const end = Date.now() + seconds * 1000;
  let sent = 0;
  const sending = (async () => {
    while (Date.now() < end) {
      for (let n = 0; n < 2; n++) {
        const number = sent++;
        const times = random() < 0.3 ? 2 : 1;
        for (let time = 0; time < times; time++) crowd.send(random() < 0.5 ? 0 : 1, number);
      }
      await delay(60);
    }
  })();
  let hasBacklog = false;
  while (Date.now() < end) {
    await delay(500 + random() * 2000);
    if (!hasBacklog && Date.now() > end - (seconds * 1000) / 2) {
      hasBacklog = true;
      counts.backlog = 1;
      await fill(ask, schema, backlog);
    }
    let left = random() * total;
    const [name, , run] =
      ways.find(([, weight]) => {
        left -= weight;
        return left < 0;
      }) ?? [];
    if (name === undefined || run === undefined) continue;
    counts[name] = (counts[name] ?? 0) + 1;
    await run();
  }
  await sending;
  return sent;
}

/** The sender retries what was not acknowledged, until all of it is. */
async function acknowledge(crowd: Crowd, sent: number): Promise<void> {
  for (let rounds = 0; crowd.answered.size < sent && rounds < 200; rounds++) {
    for (let number = 0; number < sent; number++)
      if (!crowd.answered.has(number)) crowd.send(number % 2, number);
    await delay(500);
  }
}

/** A transaction of another program, which keeps dead rows in place. */
async function openTransaction(url: string, schema: string, ms: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // it may be cut too
  await client.connect().catch(() => {});
  await client
    .query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM ${schema}.entry`)
    .catch(() => {});
  setTimeout(() => void client.end().catch(() => {}), ms).unref();
}

/**
 * Many entries at once, after a vacuum while nothing waited: the planner then believes that there
 * are none.
 */
async function fill(ask: Parts["ask"], schema: string, many: number): Promise<void> {
  await ask(`VACUUM (TRUNCATE false) ${schema}.turn`);
  await ask(`UPDATE pg_class SET reltuples = 0 WHERE oid = '${schema}.turn'::regclass`);
  await ask(
    `WITH new AS (
       SELECT nextval('${schema}.seq') AS seq, n, (extract(epoch FROM now()) * 1000)::bigint - n AS time,
         convert_to(json_build_object('event', 'payment.received', 'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
           'data', json_build_object('number', ${BACKLOG_FROM} + n),
           'webhook', json_build_object('id', 'wh_1', 'url', 'https://app.example/webhooks'))::text, 'UTF8') AS body
       FROM generate_series(1, ${many}) AS g(n)
     ), entries AS (
       INSERT INTO ${schema}.entry (seq, key_timestamp, event_id, source, kind, event_timestamp, received_at, body_hash, body_length)
       SELECT seq, time, 'backlog_' || n, 'service', 'payment.received', time, time, sha256(body), length(body) FROM new
     ), deliveries AS (
       INSERT INTO ${schema}.delivery (seq, received_at, method, target, headers, body)
       SELECT seq, time, 'POST', '/webhooks', '{}', body FROM new
     )
     INSERT INTO ${schema}.turn (seq, key_timestamp, received_at, dated, source, behind, run_at, attempts, finished_handlers)
     SELECT seq, time, time, time, 'service', false, time, 0, '[]' FROM new`,
  );
}
