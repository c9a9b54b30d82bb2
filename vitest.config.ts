import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
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

/** Remembers how long each file of tests took, for `npm run check`, which runs those that it has time for. */
const times: Reporter = {
  onTestModuleEnd: (module) => {
    const folder = join(import.meta.dirname, "node_modules", ".cache", "hookporter");
    const file = join(folder, "test-times.json");
    const { collectDuration, duration } = module.diagnostic();
    mkdirSync(folder, { recursive: true });
    const known = readTimes(file);
    writeFileSync(
      file,
      JSON.stringify({ ...known, [module.relativeModuleId]: Math.round(collectDuration + duration) }),
    );
  },
};

function readTimes(file: string): object {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {}; // none yet, or two runs wrote at once
  }
}

/** Tests that start servers of their own: `npm run test:postgres` runs them, so that `npm test` stays short. */
const WITH_SERVERS = [
  "test/inbox/postgres/{server,errors,drill,concurrent,wake,rights,runners,hanging,held-day,dump,same-handlers}.test.ts",
  "test/cli/inbox/{server,care,shared}.test.ts",
  "test/inbox/postgres/roles.test.ts",
  "test/inbox/postgres/transactions*.test.ts",
  "test/fleet/rolling-restart.test.ts",
];
const { HOOKPORTER_SERVERS, HOOKPORTER_LONG } = process.env;
const hasServers = (HOOKPORTER_SERVERS ?? HOOKPORTER_LONG) !== undefined;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(hasServers ? [] : WITH_SERVERS)],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One for each core, as many tests wait for processes and sockets; the default leaves a core idle.
    maxWorkers: availableParallelism(),
    reporters: ["default", closingLine, times],
  },
});
