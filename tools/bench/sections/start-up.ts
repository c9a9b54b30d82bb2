import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Form } from "../form.ts";
import { median } from "../numbers.ts";
import { DIST } from "../places.ts";
import type { Stage } from "../stage.ts";

const BIN = join(DIST, "hookporter.cjs");
const LISTEN = ["listen", "--json", "--port", "0"];

/** The time from the start of a process to its end, or until it is ready. */
export interface StartUp {
  readonly what: string;
  /** Median of all rounds, in milliseconds. */
  readonly ms: number;
  /** Shortest of all rounds, in milliseconds: a busy machine does not slow down every round. */
  readonly shortest: number;
  /** The shortest, as a multiple of that of `node -e 0`. */
  readonly ratio: number;
}

/** Measures the start of the command line, side by side with Node alone. */
export async function measureStartUp(
  stage: Stage,
  { startups }: Form,
  tell: (line: string) => void,
): Promise<readonly StartUp[]> {
  tell(`start-up: ${startups} rounds`);
  const runs: readonly [string, () => Promise<number>][] = [
    ["node -e 0", () => timeToEnd(stage.node, ["-e", "0"])],
    ["hookporter --version", () => timeToEnd(stage.node, [BIN, "--version"])],
    ["hookporter --help", () => timeToEnd(stage.node, [BIN, "--help"])],
    ["hookporter listen, ready", () => timeToReady(stage, [BIN, ...LISTEN])],
  ];
  const times = runs.map((): number[] => []);
  for (let round = -1; round < startups; round++) {
    for (const [index, [, run]] of runs.entries()) {
      const ms = await run();
      if (round >= 0) times[index]?.push(ms); // the first fills caches
    }
  }
  const alone = Math.min(...(times[0] ?? []));
  return runs.map(([what], index) => {
    const own = times[index] ?? [];
    const shortest = Math.min(...own);
    return { what, ms: median(own), shortest, ratio: shortest / alone };
  });
}

async function timeToEnd(node: string, argv: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(node, argv, { stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}`);
  return performance.now() - start;
}

async function timeToReady({ node, folder }: Stage, argv: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(node, argv, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  await said(child, '"type":"ready"');
  const ms = performance.now() - start;
  child.kill("SIGTERM");
  await ended;
  return ms;
}

function said(child: ChildProcess, text: string): Promise<void> {
  let heard = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      heard += String(chunk);
      if (heard.includes(text)) resolve();
    });
    child.once("exit", (code) =>
      reject(new Error(`listen ended with ${code} before it was ready`)),
    );
  });
}
