import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { freePort } from "../../../test/inbox/postgres/server.ts";
import type { Database } from "./database.ts";

/** Why there is no Redis; `undefined` if there is one. */
export const NO_REDIS =
  spawnSync("redis-server", ["--version"]).status === 0
    ? undefined
    : "skipped: no redis-server here";

/** What BullMQ sends: a script per step, and a blocking command while it waits. */
const SENT = /^cmdstat_(?:evalsha|eval|bzpopmin):calls=(\d+)/gm;

/** Starts a Redis that flushes each write to its log, in an empty folder. */
export async function startRedis(folder: string): Promise<Database> {
  // Imported here only: without the section on queues, it is not installed.
  const { Redis } = await import("ioredis");
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const durable = [
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--auto-aof-rewrite-percentage",
    "0",
  ];
  const settings = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    ...durable,
  ];
  const start = () => spawn("redis-server", settings, { stdio: "ignore" });
  let server = start();
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on("error", () => {}); // it connects again
  await client.ping();
  const end = async () => {
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  };
  return {
    url,
    used: async () => {
      const told = await client.info("everything");
      const number = (name: string) =>
        Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(told)?.[1]);
      return {
        cpu: number("used_cpu_user") + number("used_cpu_sys"),
        statements: [...told.matchAll(SENT)].reduce((sum, [, calls]) => sum + Number(calls), 0),
        log: number("aof_current_size"),
      };
    },
    crash: async () => {
      await end();
      server = start();
      await client.ping();
    },
    stop: async () => {
      client.disconnect();
      await end();
    },
  };
}
