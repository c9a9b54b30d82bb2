import type { Contestant } from "./contestant.ts";

/** Every contestant, each loaded only in the process that runs it. */
export const CONTESTANTS = {
  "hookporter express": async () => (await import("./hookporter.ts")).hookporterExpress,
  "hookporter node": async () => (await import("./hookporter.ts")).hookporterNode,
  "hookporter node, order keys": async () => (await import("./hookporter.ts")).hookporterNodeInOrder,
  "hookporter node, 20 receivers on one file": async () => (await import("./many-receivers.ts")).onOneFile,
  "hookporter node, 20 receivers on own files": async () => (await import("./many-receivers.ts")).onOwnFiles,
  "hookporter node, sweeping": async () => (await import("./sweeping.ts")).sweeping,
  "hookporter express, no store": async () => (await import("./hookporter.ts")).hookporterExpressNoStore,
  "hookporter node, no store": async () => (await import("./hookporter.ts")).hookporterNodeNoStore,
  "express plain": async () => (await import("./express-plain.ts")).expressPlain,
  "node:http bare": async () => (await import("./node-bare.ts")).nodeBare,
  octokit: async () => (await import("./octokit.ts")).octokit,
  fastify: async () => (await import("./fastify.ts")).fastify,
  hono: async () => (await import("./hono.ts")).hono,
} satisfies Record<string, () => Promise<Contestant>>;

/** A contestant's name. */
export type ContestantName = keyof typeof CONTESTANTS;

/** Whether a contestant keeps what it receives on disk. */
export function isDurable(name: ContestantName): boolean {
  return name === "hookporter express" || name === "hookporter node";
}
