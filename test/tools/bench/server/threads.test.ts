import { expect, it } from "vitest";
import { ThreadUses } from "../../../../tools/bench/server/threads.ts";

it.runIf(process.platform === "linux")(
  "the threads' processor time sums up to that of the process",
  () => {
    const uses = new ThreadUses();
    const before = process.cpuUsage();
    const end = performance.now() + 100;
    while (performance.now() < end);
    const threads = uses.since();
    const { user, system } = process.cpuUsage(before);
    const sum = threads.reduce((total, { cpu }) => total + cpu, 0);
    expect(sum / ((user + system) / 1e6)).toBeGreaterThan(0.8);
    expect(sum / ((user + system) / 1e6)).toBeLessThan(1.2);
  },
);
