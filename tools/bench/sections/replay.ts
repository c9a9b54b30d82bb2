import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CORES, onCores } from "../cores.ts";
import { bodySource, SECRET } from "../events.ts";
import type { Form } from "../form.ts";
import { DIST } from "../places.ts";
import type { Stage } from "../stage.ts";

/**
 * Deliveries per second of `replay`, including start-up and reading, and of a load generator on one
 * connection.
 */
export interface Replay {
  readonly fixtures: number;
  readonly perSecond: number;
  readonly generator: number;
  readonly ratio: number;
}

/**
 * Measures how fast `replay` sends a folder, next to a load generator: both on one connection,
 * since order is kept.
 */
export async function measureReplay(
  stage: Stage,
  { fixtures }: Form,
  tell: (line: string) => void,
): Promise<Replay> {
  tell(`replay of ${fixtures} fixtures`);
  const folder = join(stage.folder, "fixtures");
  mkdirSync(folder, { recursive: true });
  const bodyOf = bodySource(600, Date.now());
  for (let index = 0; index < fixtures; index++) {
    writeFileSync(join(folder, `${String(index).padStart(6, "0")}.json`), bodyOf(index).body);
  }
  const server = await stage.server("node:http bare");
  const load = { size: 600, connections: 1, seconds: 1 };
  await stage.load(server, load);
  const { perSecond: generator } = await stage.load(server, load);
  const start = performance.now();
  await replay(stage.node, folder, server.port);
  const perSecond = (fixtures / (performance.now() - start)) * 1000;
  await stage.clear();
  return { fixtures, perSecond, generator, ratio: perSecond / generator };
}

async function replay(node: string, folder: string, port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/webhooks`;
  const argv = [node, join(DIST, "hookporter.cjs"), "replay", folder, "--url", url];
  const [command, ...rest] = onCores(CORES.load, argv);
  const env = { ...process.env, HOOKPORTER_SECRET: SECRET };
  const cwd = dirname(folder); // where it notes its progress
  const child = spawn(command, rest, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`replay ended with ${code}`);
}
