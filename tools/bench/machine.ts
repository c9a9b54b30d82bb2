import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { CORES } from "./cores.ts";
import { GENERATOR } from "./load/send-load.ts";
import { DIST, ROOT } from "./places.ts";
import type { ServerNode } from "./server/server-node.ts";

const PACKAGES = [
  "express",
  "fastify",
  "hono",
  "@hono/node-server",
  "@octokit/webhooks",
  "@photostructure/sqlite",
  "autocannon",
  "bullmq",
  "graphile-worker",
  "pg",
  "pg-boss",
];

/** What the results depend on, apart from the code. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  /** The measured Node and its SQLite, and the Node that runs the bench. */
  readonly node: string;
  readonly sqlite: string;
  readonly benchNode: string;
  readonly generator: string;
  /** Which cores the server and the load generator may use. */
  readonly placement: string;
  /** The load average before the first measurement: more than 0 means noise. */
  readonly loadBefore: number;
  readonly versions: Readonly<Record<string, string>>;
  /** A digest of the package's programs, which identifies what was measured. */
  readonly build: string;
}

/** Examines the machine and the measured Node. */
export function describeMachine({ version, sqlite }: ServerNode): Machine {
  const load = `the load generator (${GENERATOR}) on core ${CORES.load}`;
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: version,
    sqlite,
    benchNode: process.version,
    generator: GENERATOR,
    placement: CORES.pinned ? `servers on cores ${CORES.server}, ${load}` : "not pinned",
    loadBefore: loadavg()[0] ?? 0,
    build: digestOf(DIST),
    versions: Object.fromEntries(["hookporter", ...PACKAGES].flatMap((name) => versionOf(name))),
  };
}

/** A digest of a build's programs. */
export function digestOf(folder: string): string {
  const digest = createHash("sha256");
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith("js")) digest.update(name).update(readFileSync(join(folder, name)));
  }
  return digest.digest("hex").slice(0, 12);
}

/** The version of a package; nothing for a peer that is not installed, since it is not measured. */
function versionOf(name: string): readonly [string, string][] {
  const folders =
    name === "hookporter"
      ? [ROOT]
      : [ROOT, import.meta.dirname].map((folder) => join(folder, "node_modules", name));
  const file = folders
    .map((folder) => join(folder, "package.json"))
    .find((path) => existsSync(path));
  return file === undefined ? [] : [[name, JSON.parse(readFileSync(file, "utf8")).version]];
}
