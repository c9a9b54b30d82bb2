import { accountFor, type ThreadAccount } from "../account/thread-account.ts";
import type { ContestantName } from "../contestants/all.ts";
import type { Form } from "../form.ts";
import { median } from "../numbers.ts";
import { ROOT } from "../places.ts";
import { Sources } from "../profile/sources.ts";
import type { Server } from "../server/server.ts";
import type { ThreadUse } from "../server/threads.ts";
import type { Stage } from "../stage.ts";

/** What one delivery costs a process: microseconds of processor time. */
export interface Account {
  readonly contestant: ContestantName;
  /** The whole process, as the system measured it, in each round. */
  readonly rounds: readonly number[];
  readonly cpu: number;
  /** Of this, in the kernel: system calls, interrupts, faults. */
  readonly kernel: number;
  readonly receiving: ThreadAccount;
  /** The thread that commits, for contestants that have one. */
  readonly writing?: ThreadAccount;
  /** All other threads: garbage collection and compilation, mostly. */
  readonly helpers: number;
}

/** Compares two contestants: the median of the ratios of rounds that ran side by side. */
export function timeRatio(a: Account, b: Account): number {
  return median(a.rounds.map((micros, index) => micros / (b.rounds[index] ?? Number.NaN)));
}

const WHO: readonly ContestantName[] = [
  "hookporter node",
  "hookporter node, no schemas",
  "hookporter node, received only",
  "hookporter express",
  "node:http bare",
  "octokit",
  "express plain",
];

const LOAD = { size: 600, connections: 64 };

/**
 * Accounts for the processor time of a delivery, by thread and by activity, and compares it with
 * other receivers'.
 */
export async function measureAccount(
  stage: Stage,
  { account: { rounds, seconds, profileSeconds } }: Form,
  tell: (line: string) => void,
): Promise<readonly Account[]> {
  tell(`account: ${WHO.length} contestants, ${rounds} rounds, then a profile of each`);
  const servers: Server[] = [];
  for (const contestant of WHO)
    servers.push(await stage.server(contestant, { namesStatements: true }));
  for (const server of servers) await stage.warmUp(server, LOAD);
  const all = servers.map((): Costs[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries())
      all[index]?.push(await costsOf(stage, server, seconds));
  }
  const sources = new Sources(ROOT);
  const accounts: Account[] = [];
  for (const [index, contestant] of WHO.entries()) {
    const server = servers[index];
    if (server === undefined) continue;
    await server.startProfile();
    const profiled = await costsOf(stage, server, profileSeconds);
    const profiles = await server.stopProfile();
    const costs = all[index] ?? [];
    const cpuOf = (id: number | undefined) =>
      median(costs.map((cost) => cost.threads.get(id ?? 0)?.micros ?? 0));
    const threads = profiles.map((profile) => {
      const cpu = profile.id === undefined ? Number.NaN : cpuOf(profile.id);
      const { deliveries } = profiled;
      const facts = { profile, profiled: profiled.threads.get(profile.id ?? 0), deliveries, cpu };
      return {
        receives: profile.receives,
        id: profile.id,
        account: accountFor(facts, (frame) => sources.fileOf(frame)),
      };
    });
    const known = new Set(threads.map(({ id }) => id));
    const helpers = costs.map((cost) =>
      sum([...cost.threads].map(([id, { micros }]) => (known.has(id) ? 0 : micros))),
    );
    const receiving = threads.find(({ receives }) => receives);
    const writing = threads.find(({ receives }) => !receives);
    if (receiving === undefined) continue;
    accounts.push({
      contestant,
      rounds: costs.map(({ cpu }) => cpu),
      cpu: median(costs.map(({ cpu }) => cpu)),
      kernel: median(costs.map(({ kernel }) => kernel)),
      receiving: receiving.account,
      ...(writing !== undefined && { writing: writing.account }),
      helpers: median(helpers),
    });
  }
  await stage.clear();
  return accounts;
}

/** What one load cost: microseconds per delivery, and all that each thread used. */
interface Costs {
  readonly deliveries: number;
  readonly cpu: number;
  readonly kernel: number;
  readonly threads: ReadonlyMap<number, ThreadUse & { readonly micros: number }>;
}

async function costsOf(stage: Stage, server: Server, seconds: number): Promise<Costs> {
  const { used, answered, cpu } = await stage.load(server, { ...LOAD, seconds });
  const micros = (time: number) => (time / answered) * 1e6;
  const threads = used.threads.map(
    (thread) => [thread.id, { ...thread, micros: micros(thread.cpu) }] as const,
  );
  return { deliveries: answered, cpu, kernel: micros(used.system), threads: new Map(threads) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
