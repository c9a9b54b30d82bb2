import { setTimeout as wait } from "node:timers/promises";
import type { Form } from "../form.ts";
import { median } from "../numbers.ts";
import type { Server } from "../server/server.ts";
import type { Stage } from "../stage.ts";

/** Deliveries per second: only received; and received, handled and completed, next to receivers that store nothing. */
export interface Handling {
  readonly received: number;
  readonly completed: number;
  readonly ratio: number;
  /** The node adapter with handlers × octokit with one, and the Express adapter with handlers × plain Express. */
  readonly ofOctokit: number;
  readonly ofPlain: number;
}

const RUNNING = { handle: true };

/** Measures the throughput if every entry's handler runs and its result is stored too. */
export async function measureHandling(
  stage: Stage,
  { handling: { rounds, seconds } }: Form,
  tell: (line: string) => void,
): Promise<Handling> {
  tell(`handling: ${rounds} rounds`);
  const receives = await stage.server("hookporter node");
  const handles = await stage.server("hookporter node", RUNNING);
  const onExpress = await stage.server("hookporter express", RUNNING);
  const octokit = await stage.server("octokit");
  const plain = await stage.server("express plain");
  const load = { size: 600, connections: 64, seconds };
  const rates: Omit<Handling, "ratio">[] = [];
  for (const server of [receives, handles, onExpress, octokit, plain]) await stage.warmUp(server, load);
  for (let round = 0; round < rounds; round++) {
    const { perSecond: received } = await stage.load(receives, load);
    const { perSecond: completed } = await completedPerSecond(stage, handles, load);
    const { perSecond: express } = await completedPerSecond(stage, onExpress, load);
    const ofOctokit = completed / (await stage.load(octokit, load)).perSecond;
    const ofPlain = express / (await stage.load(plain, load)).perSecond;
    rates.push({ received, completed, ofOctokit, ofPlain });
  }
  await stage.clear();
  const middle = (of: (one: Omit<Handling, "ratio">) => number) => median(rates.map(of));
  return {
    received: middle(({ received }) => received),
    completed: middle(({ completed }) => completed),
    ratio: middle(({ completed, received }) => completed / received),
    ofOctokit: middle((one) => one.ofOctokit),
    ofPlain: middle((one) => one.ofPlain),
  };
}

/** The deliveries of a load, divided by the time until the last of them was done; and the p99 of their answers. */
export async function completedPerSecond(
  stage: Stage,
  server: Server,
  load: { size: number; connections: number; seconds: number },
): Promise<{ readonly perSecond: number; readonly p99: number }> {
  const before = (await server.counts()).done;
  const start = performance.now();
  const { seconds, p99 } = await stage.load(server, load);
  const overhead = performance.now() - start - seconds * 1000;
  for (let { kept, done } = await server.counts(); done < kept; { kept, done } = await server.counts()) {
    await wait(5);
  }
  const after = (await server.counts()).done;
  return { perSecond: ((after - before) / (performance.now() - start - overhead)) * 1000, p99 };
}
