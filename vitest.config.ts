import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import type { Reporter } from "vitest/node";

/** Ends the run with one plain line of counts, for whoever reads only the last one. */
const closingLine: Reporter = {
  onTestRunEnd: (modules) => {
    const counts = { passed: 0, failed: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed") counts[state]++;
      }
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  },
};

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // One for each core, as many tests wait for processes and sockets; the default leaves a core idle.
    maxWorkers: availableParallelism(),
    reporters: ["default", closingLine],
  },
});
