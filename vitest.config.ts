import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import type { Reporter, TestModule } from "vitest/node";
import { PATIENCE } from "./test/patience.ts";

const SLOWEST = 10;

/** Ends the run with its slowest files, and then one plain line of counts. */
const closingLine: Reporter = {
  onTestRunEnd: (modules) => {
    const slowest = modules.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SLOWEST);
    for (const module of slowest)
      process.stdout.write(
        `${secondsOf(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}\n`,
      );
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

function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1000;
}

/**
 * Remembers how long each file of tests took, for `npm run check`, which runs those that it has
 * time for.
 */
const times: Reporter = {
  onTestModuleEnd: (module) => {
    const folder = join(import.meta.dirname, "node_modules", ".cache", "hookporter");
    const file = join(folder, "test-times.json");
    mkdirSync(folder, { recursive: true });
    const known = readTimes(file);
    writeFileSync(
      file,
      JSON.stringify({
        ...known,
        [module.relativeModuleId]: Math.round(secondsOf(module) * 1000),
      }),
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

/**
 * Which run a file belongs to is its suffix. `.system`: whole systems, such as browsers, database
 * servers, other languages, installs, the built program in processes and long series of them; and
 * tests that replace a module, which files that share modules cannot. `.long`: it has a longer
 * version. `npm test` stays quick without the first; `npm run test:system` (`--mode system`) runs
 * these alone, and `npm run test:long` (`--mode long`) the longer versions.
 */
const SYSTEM = "test/**/*.system{,.long}.test.ts";
const INCLUDED: Readonly<Record<string, string>> = {
  system: SYSTEM,
  long: "test/**/*.long.test.ts",
};
/** Files that are named on the command line run in any case. */
const named = process.argv.slice(2).filter((argument) => argument.startsWith("test"));
const namesSystem = named.some((name) => name.includes(".system."));

export default defineConfig(({ mode }) => ({
  test: {
    include: [INCLUDED[mode] ?? "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(named.length > 0 || mode in INCLUDED ? [] : [SYSTEM])],
    env: mode === "long" ? { HOOKPORTER_LONG: "1" } : {},
    // Files share what they import, which takes half as long; tests of whole systems each start
    // afresh.
    isolate: mode in INCLUDED || namesSystem,
    setupFiles: ["test/setup.ts"],
    expect: { poll: { timeout: PATIENCE } },
    testTimeout: mode === "long" ? 1_500_000 : 60_000,
    hookTimeout: 120_000,
    // More than cores, as many tests wait for processes and sockets; those of whole systems start
    // programs that use the cores themselves.
    maxWorkers: availableParallelism() + (mode in INCLUDED ? 0 : 1),
    // A green run is short: files are named only if they fail, or on a terminal.
    reporters: [process.stdout.isTTY ? "default" : "minimal", closingLine, times],
  },
}));
