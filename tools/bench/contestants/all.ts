import type { Contestant } from "./contestant.ts";

/** Every contestant, each loaded only in the process that runs it. */
export const CONTESTANTS = {
  "hookporter express": async () => (await import("./hookporter.ts")).hookporterExpress,
  "hookporter node": async () => (await import("./hookporter.ts")).hookporterNode,
  "hookporter node, no schemas": async () => (await import("./hookporter.ts")).withoutSchemas,
  "hookporter node, order keys": async () => (await import("./hookporter.ts")).inOrder,
  "hookporter express, received only": async () =>
    (await import("./hookporter.ts")).expressReceivedOnly,
  "hookporter node, received only": async () => (await import("./hookporter.ts")).nodeReceivedOnly,
  "hookporter node, 20 receivers on one file": async () =>
    (await import("./many-receivers.ts")).onOneFile,
  "hookporter node, 20 receivers on own files": async () =>
    (await import("./many-receivers.ts")).onOwnFiles,
  "hookporter node, sweeping": async () => (await import("./sweeping.ts")).sweeping,
  "hookporter express, no store": async () => (await import("./hookporter.ts")).expressNoStore,
  "hookporter node, no store": async () => (await import("./hookporter.ts")).nodeNoStore,
  "express plain": async () => (await import("./express-plain.ts")).expressPlain,
  "node:http bare": async () => (await import("./node-bare.ts")).nodeBare,
  octokit: async () => (await import("./octokit.ts")).octokit,
  fastify: async () => (await import("./fastify.ts")).fastify,
  hono: async () => (await import("./hono.ts")).hono,
  "express with node:sqlite": async () => (await import("./peers/express-sqlite.ts")).expressSqlite,
  "express with pg": async () => (await import("./peers/express-postgres.ts")).expressPostgres,
  "express with bullmq": async () => (await import("./peers/bullmq.ts")).bullmq,
  "express with graphile-worker": async () =>
    (await import("./peers/graphile-worker.ts")).graphileWorker,
  "express with pg-boss": async () => (await import("./peers/pg-boss.ts")).pgBoss,
} satisfies Record<string, () => Promise<Contestant>>;

/** A contestant's name. */
export type ContestantName = keyof typeof CONTESTANTS;
