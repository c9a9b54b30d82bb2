import { setTimeout as wait } from "node:timers/promises";
import type { Form } from "../form.ts";
import { median } from "../numbers.ts";
import type { Server } from "../server/server.ts";
import type { Stage } from "../stage.ts";

/** Deliveries per second: only received; and received, handled and completed. */
export interface Handling {
  readonly received: number;
  readonly completed: number;
  readonly ratio: number;
}

/** Measures the throughput if every entry's handler runs and its result is stored too. */
export async function measureHandling(
  stage: Stage,
  { handling: { rounds, seconds } }: Form,
  tell: (line: string) => void,
): Promise<Handling> {
  tell(`handling: ${rounds} rounds`);
  const receives = await stage.server("hookporter node");
  const handles = await stage.server("hookporter node", { handle: true });
  const load = { size: 600, connections: 64, seconds };
  const received: number[] = [];
  const completed: number[] = [];
  const ratios: number[] = [];
  for (const server of [receives, handles]) await stage.warmUp(server, load);
  for (let round = 0; round < rounds; round++) {
    const { perSecond } = await stage.load(receives, load);
    const { perSecond: sustained } = await completedPerSecond(stage, handles, load);
    received.push(perSecond);
    completed.push(sustained);
    ratios.push(sustained / perSecond);
  }
  await stage.clear();
  return { received: median(received), completed: median(completed), ratio: median(ratios) };
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
