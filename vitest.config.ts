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
        if (test.diagnostic()?.flaky) {
          process.stdout.write(
            `passed at the second try only: ${module.relativeModuleId} ${test.fullName}\n`,
          );
        }
      }
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  },
};

/**
 * Remembers how long each file of tests took, for `npm run check`, which runs those that it has
 * time for.
 */
const times: Reporter = {
  onTestModuleEnd: (module) => {
    const folder = join(import.meta.dirname, "node_modules", ".cache", "hookporter");
    const file = join(folder, "test-times.json");
    const { collectDuration, duration } = module.diagnostic();
    mkdirSync(folder, { recursive: true });
    const known = readTimes(file);
    writeFileSync(
      file,
      JSON.stringify({
        ...known,
        [module.relativeModuleId]: Math.round(collectDuration + duration),
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
 * Tests of whole systems: browsers, database servers, other languages, installs, the built program
 * and real tunnels in processes, long series of processes or diagnoses, large bodies; and those
 * that replace a module, which files that share modules cannot. `npm test` stays quick without
 * them; `npm run test:system` (`--mode system`) runs these alone.
 */
const SYSTEM = [
  "test/inspector/browser/*.test.ts",
  "test/inspector/every-entry.test.ts",
  "test/pictures/screenshots.test.ts",
  "test/strangers/*.test.ts",
  "test/docs/{blocks,examples,framework-servers,guides,operations-page,shell-blocks,sql-blocks}.test.ts",
  "test/journeys/*.test.ts",
  "test/examples/*.test.ts",
  "test/scaffold/{from-package,into/apps,learned-types,package-managers,templates}.test.ts",
  "test/{demo,package,installs,public-types}.test.ts",
  "test/cli/{completion,mcp}/*.test.ts",
  "test/docs/incidents.test.ts",
  "test/inspector/changes/bulk-change.test.ts",
  "test/cli/send/many.test.ts",
  "test/cli/terminal-keys.test.ts",
  "test/recipes/*.test.ts",
  "test/modules/{bundles,types}.test.ts",
  "test/check/{causes,policies,receivers,run-check,stops}.test.ts",
  "test/signature/diagnose/{documented-mistakes,large-bodies,linear}.test.ts",
  "test/crash/*.test.ts",
  "test/inbox/{soak,first-start,roles,runners,stuck-lock,threaded}.test.ts",
  "test/cli/pasted-secrets.test.ts",
  "test/cli/unusable-folders.test.ts",
  "test/cli/handlers/{exec,forward-process,reload}.test.ts",
  "test/inbox/{sqlite/{erase,care/check-elsewhere,file/when-unlocked},transfer/copy}.test.ts",
  "test/cli/listen/{blocked-loop,first-start,forward,pipes,process,waiting}.test.ts",
  "test/cli/{tunnel/{listen-through-*,subscription,tunnel},listen/subscription}.test.ts",
  "test/tunnel/{drill,ngrok,outage,ssh,sshd}.test.ts",
  "test/hostile/{body,costly,floods,handlers,replay,slow-clients,storage}.test.ts",
  "test/inbox/postgres/{client,clock,connect,drain,erase,read-only,stale-statistics,cut-off,idle,limits,server,errors,drill,concurrent,wake,rights,runners,hanging,held-day,dump,same-handlers,shared}.test.ts",
  "test/inbox/postgres/{care,certificates,days,every-cut,examine,hand-on,migrations,planner,prune,refusals,roles,standby,statements,transactions*,upkeep}.test.ts",
  "test/inbox/postgres/drill/drill.test.ts",
  "test/cli/inbox/{server,care,shared}.test.ts",
  "test/cli/doctor/{drill,faults,server}.test.ts",
  "test/http/{closing,connection-cap}.test.ts",
  "test/observe/tracing.test.ts",
  "test/fleet/{paced-retry,rolling-restart}.test.ts",
  "test/monitoring/{outages,scrape}.test.ts",
  "test/windows/*.test.ts",
];
/**
 * These also run with the others, but do more with the whole systems: they fetch a newer Node, or
 * send all cases to each receiver.
 */
const BOTH = ["test/{delivery-path,check/families}.test.ts"];
/** Tests that have a longer version, which `npm run test:long` (`--mode long`) runs. */
const LONG = [
  "test/{hostile,crash,strangers,first-minute}/*.test.ts",
  "test/inbox/{first-start,runners,soak,stuck-lock}.test.ts",
  "test/inbox/postgres/{drill,transactions-cut,versions,drill/*}.test.ts",
  "test/cli/{listen/first-start,mcp/inspector}.test.ts",
  "test/tunnel/{drill,outage}.test.ts",
  "test/receiver/retention.test.ts",
  "test/recipes/hand-on.test.ts",
  "test/scaffold/{from-package,package-managers}.test.ts",
  "test/docs/{framework-servers,nestjs-block}.test.ts",
  "test/modules/types.test.ts",
];
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  system: [...SYSTEM, ...BOTH],
  long: LONG,
};
/** Files that are named on the command line run in any case. */
const hasNames = process.argv.slice(2).some((argument) => argument.startsWith("test"));

export default defineConfig(({ mode }) => ({
  test: {
    include: [...(INCLUDED[mode] ?? ["test/**/*.test.ts"])],
    exclude: [...configDefaults.exclude, ...(hasNames || mode in INCLUDED ? [] : SYSTEM)],
    env: mode === "long" ? { HOOKPORTER_LONG: "1" } : {},
    // Files share what they import, which takes half as long; tests of whole systems each start
    // afresh.
    isolate: mode in INCLUDED,
    // Browsers, servers and Wine have bad moments of their own. Where nobody can look at once, a
    // test of whole systems gets a second try, which is printed; not those that lose something if
    // they fail once (`retry: 0`).
    retry: mode === "system" && process.env.CI !== undefined ? 1 : 0,
    testTimeout: mode === "long" ? 1_500_000 : 60_000,
    hookTimeout: 120_000,
    // One for each core, as many tests wait for processes and sockets; the default leaves a core
    // idle.
    maxWorkers: availableParallelism(),
    reporters: ["default", closingLine, times],
  },
}));
