import { join } from "node:path";
import type { Form } from "../form.ts";
import { median } from "../numbers.ts";
import type { Database } from "../peers/database.ts";
import { type Killed, killUnderLoad } from "../peers/kill.ts";
import { NO_POSTGRES, startCountedPostgres } from "../peers/postgres.ts";
import { NO_REDIS, startRedis } from "../peers/redis.ts";
import { ANSWER } from "../server/measure-floor.ts";
import type { Server } from "../server/server.ts";
import type { ServerNode } from "../server/server-node.ts";
import type { Stage } from "../stage.ts";

/**
 * Those who promise the same, a durable record before the answer and a handler that runs after a
 * crash too; or why they could not be measured.
 */
export type Peers = { readonly leftOut: string } | readonly Peer[];

/** One of them: medians of its rounds. */
export interface Peer extends PeerRound {
  readonly what: string;
  /** hookporter's deliveries per second, and p99, × its own, by round; missing for hookporter. */
  readonly ours?: { readonly handled: number; readonly p99: number };
  readonly killed: Killed;
}

/** What one round showed; NaN if it cannot be seen. */
export interface PeerRound {
  /**
   * Deliveries per second: answered while the load lasted; and handled, until the last of them was
   * done.
   */
  readonly received: number;
  readonly handled: number;
  /** Milliseconds until the answer. */
  readonly p50: number;
  readonly p99: number;
  /**
   * Of a delivery: processor time of the receiver and of the database in µs, statements, and bytes
   * of the log.
   */
  readonly cpu: number;
  readonly databaseCpu: number;
  readonly statements: number;
  readonly log: number;
}

/** By store, beside hookporter; on Redis beside the one on PostgreSQL, which is a server too. */
const PEERS = [
  { contestant: "hookporter express", store: "SQLite" },
  { contestant: "express with node:sqlite", store: "SQLite" },
  { contestant: "hookporter express", store: "PostgreSQL" },
  { contestant: "express with pg", store: "PostgreSQL" },
  { contestant: "express with graphile-worker", store: "PostgreSQL" },
  { contestant: "express with pg-boss", store: "PostgreSQL" },
  { contestant: "express with bullmq", store: "Redis" },
] as const;

const ON_SQLITE = 0;
const ON_POSTGRES = 2;

/** The oldest Node that has all they need. */
const NODE = 24;
const LOAD = { size: 600, connections: 64 };

/** Measures all in one run, then kills each under load. */
export async function measurePeers(
  stage: Stage,
  { peers: { rounds, seconds, patience } }: Form,
  { node, tell }: { node: ServerNode; tell: (line: string) => void },
): Promise<Peers> {
  const isOld = Number.parseInt(node.version.slice(1), 10) < NODE;
  const leftOut =
    NO_POSTGRES ?? NO_REDIS ?? (isOld ? `skipped: --node must be ${NODE} or newer` : undefined);
  if (leftOut !== undefined) {
    tell(`peers: ${leftOut}`);
    return { leftOut };
  }
  const databases = {
    SQLite: undefined,
    PostgreSQL: await startCountedPostgres(),
    Redis: await startRedis(join(stage.folder, "redis")),
  };
  const inboxOn = (store: keyof typeof databases) => databases[store]?.url ?? stage.newInbox();
  try {
    tell(`peers: ${PEERS.length} contestants, ${rounds} rounds`);
    const servers: Server[] = [];
    for (const { contestant, store } of PEERS) {
      servers.push(await stage.server(contestant, { inbox: inboxOn(store) }));
    }
    for (const server of servers) await stage.warmUp(server, LOAD);
    const all = PEERS.map((): PeerRound[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, { store }] of PEERS.entries()) {
        const server = servers[index];
        const database = databases[store];
        if (server !== undefined)
          all[index]?.push(await measureRound(stage, server, { database, seconds }));
      }
    }
    await stage.clear();
    const peers: Peer[] = [];
    for (const [index, { contestant, store }] of PEERS.entries()) {
      const what = `${contestant}, ${store}`;
      tell(`peers: kill -9 of ${what}`);
      const crash = async () => databases[store]?.crash();
      const order = { contestant, inbox: inboxOn(store) };
      const killed = await killUnderLoad(stage, order, { crash, seconds: patience });
      await stage.clear();
      const rounds = all[index] ?? [];
      const ours = all[store === "SQLite" ? ON_SQLITE : ON_POSTGRES] ?? [];
      peers.push({
        what,
        ...middle(rounds),
        ...(rounds !== ours && { ours: compare(ours, rounds) }),
        killed,
      });
    }
    return peers;
  } finally {
    await stage.clear();
    for (const database of Object.values(databases)) await database?.stop();
  }
}

async function measureRound(
  stage: Stage,
  server: Server,
  { database, seconds }: { database: Database | undefined; seconds: number },
): Promise<PeerRound> {
  const before = await database?.used();
  const round = await stage.load(server, { ...LOAD, seconds });
  const after = await database?.used();
  const { answered, received, perSecond: handled, p50, p99, cpu, used } = round;
  const seen = { received, handled, p50, p99, cpu };
  if (before === undefined || after === undefined) {
    const log = (used.written ?? Number.NaN) / answered - ANSWER;
    return { ...seen, databaseCpu: 0, statements: Number.NaN, log };
  }
  return {
    ...seen,
    databaseCpu: ((after.cpu - before.cpu) / answered) * 1e6,
    statements: (after.statements - before.statements) / answered,
    log: (after.log - before.log) / answered,
  };
}

function middle(rounds: readonly PeerRound[]): PeerRound {
  const of = (name: keyof PeerRound) => median(rounds.map((round) => round[name]));
  return {
    received: of("received"),
    handled: of("handled"),
    p50: of("p50"),
    p99: of("p99"),
    cpu: of("cpu"),
    databaseCpu: of("databaseCpu"),
    statements: of("statements"),
    log: of("log"),
  };
}

function compare(
  ours: readonly PeerRound[],
  theirs: readonly PeerRound[],
): { handled: number; p99: number } {
  const of = (name: "handled" | "p99") =>
    median(ours.map((round, index) => round[name] / (theirs[index]?.[name] ?? Number.NaN)));
  return { handled: of("handled"), p99: of("p99") };
}
