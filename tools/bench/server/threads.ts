import { readdirSync, readFileSync } from "node:fs";

/** What a thread of a process used. */
export interface ThreadUse {
  /** The system's number of the thread. */
  readonly id: number;
  /** Seconds of processor time. */
  readonly cpu: number;
  /** Seconds that it was ready to run, but another thread had its core. */
  readonly queued: number;
  /** The share of its pauses that were not its own choice. */
  readonly preempted: number;
}

interface Totals {
  readonly cpu: number;
  readonly queued: number;
  readonly willing: number;
  readonly unwilling: number;
}

/**
 * Measures the processor time of each thread of this process, on Linux. Elsewhere there are no
 * threads to see.
 */
export class ThreadUses {
  #before = totals();

  /** The threads' use since the previous call. */
  since(): readonly ThreadUse[] {
    const before = this.#before;
    this.#before = totals();
    return [...this.#before].map(([id, now]) => {
      const then = before.get(id) ?? { cpu: 0, queued: 0, willing: 0, unwilling: 0 };
      const unwilling = now.unwilling - then.unwilling;
      const pauses = now.willing - then.willing + unwilling;
      return {
        id,
        cpu: (now.cpu - then.cpu) / 1e9,
        queued: (now.queued - then.queued) / 1e9,
        preempted: pauses === 0 ? 0 : unwilling / pauses,
      };
    });
  }
}

function totals(): ReadonlyMap<number, Totals> {
  process.cpuUsage(); // brings the system's count for this thread up to date
  const found = new Map<number, Totals>();
  for (const id of threadIds()) {
    try {
      const [cpu = 0, queued = 0] = readFileSync(`/proc/self/task/${id}/schedstat`, "latin1")
        .split(" ")
        .map(Number);
      const status = readFileSync(`/proc/self/task/${id}/status`, "latin1");
      const switches = (name: string) =>
        Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
      const willing = switches("voluntary_ctxt_switches");
      const unwilling = switches("nonvoluntary_ctxt_switches");
      found.set(Number(id), { cpu, queued, willing, unwilling });
    } catch {
      // The thread has ended.
    }
  }
  return found;
}

function threadIds(): readonly string[] {
  return process.platform === "linux" ? readdirSync("/proc/self/task") : [];
}
