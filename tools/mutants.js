// Mutation tests: changes the code in one place at a time, and looks whether a test fails.
// `node tools/mutants.js` runs all folders below one after the other,
// `node tools/mutants.js src/event` one folder, and with `src/event/utf8.ts` one file.
// `--sample 200` tries as many changes of each folder, drawn with `--seed`, and prints how many a
// test noticed; below `--at-least 85` per cent of them it fails.
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import settings from "./stryker.config.js";

/**
 * What is changed and tested for each folder of `src/`: `tests` are those that run, `also` the
 * files beside the folder that they cover too, and `without` the files in it that are left out.
 * Their code runs in another thread or process, where no mutant is active, or belongs to another
 * folder. `quick` leaves out code that runs when a module is loaded, as each such mutant runs all
 * tests.
 */
const FOLDERS = {
  "src/event": { tests: ["test/event/*.test.ts"] },
  "src/signature": { tests: ["test/signature/*.test.ts"], without: ["src/signature/diagnose/*"] },
  "src/signature/diagnose": {
    tests: [
      "test/signature/diagnose/!(*.system).test.ts",
      "test/signature/diagnose/documented-mistakes.system.test.ts",
    ],
    quick: true,
  },
  "src/dispatch": {
    tests: [
      "test/dispatch/*.test.ts",
      "test/receiver/{drain,store-health,waiting}.test.ts",
      "test/receiver/handlers/{missing-handlers,registration}.test.ts",
      "test/observe/tracing.system.test.ts",
      "test/receiver/options/settings.test.ts",
      "test/receiver/{inline,lease,order,receiver,role}.test.ts",
    ],
  },
  "src/inbox": {
    tests: [
      "test/inbox/{access,entry-rules,failures,inline-runs,memory,open,paced-retry,runner,senders,sqlite}.test.ts",
      "test/inbox/{shared,transfer}/*.test.ts",
      "test/inbox/sqlite/{damage,group-commit,vitals,processes/runners}.test.ts",
      "test/cli/events/{change,failures,pause,references}.test.ts",
      "test/receiver/{accept,retention}{,.long}.test.ts",
    ],
    without: ["src/inbox/{postgres,sqlite}/**", "src/inbox/postgres.ts"],
    quick: true,
  },
  "src/inbox/sqlite": {
    tests: [
      "test/inbox/{access,memory,open,sqlite,threaded}{,.system}.test.ts",
      "test/inbox/{sqlite,transfer}/**/*.test.ts",
      "test/cli/{doctor/disk,events/backup,events/erase}{,.system}{,.long}.test.ts",
      "test/cli/inbox/{care,check,inbox,shared}{,.system}{,.long}.test.ts",
      "test/strangers/salvage.system.long.test.ts",
    ],
    without: [
      "src/inbox/sqlite/thread/*.ts",
      "src/inbox/sqlite/{trust,care/check-process,file/presence}.ts",
    ],
    quick: true,
  },
  "src/inbox/postgres": {
    // In PGlite: a server in other processes takes much longer for each mutant.
    tests: [
      "test/inbox/postgres.system.test.ts",
      "test/inbox/postgres/{batch,care,client,clock,connect,due,error-classes,examine,inside,kept-lately,low-water,migrations,prune,refusals}{,.system}{,.long}.test.ts",
      "test/inbox/postgres/{runners-signs,session,statements,transaction,transfer,urls,wake-listening}{,.system}{,.long}.test.ts",
      "test/inbox/transfer/copy.system.test.ts",
      "test/receiver/transactions.test.ts",
    ],
    also: ["src/inbox/postgres.ts"],
    quick: true,
  },
  "src/http": {
    tests: ["test/http/*.test.ts", "test/adapters/fetch.test.ts"],
    quick: true,
  },
  "src/relay": {
    tests: [
      "test/relay/*.test.ts",
      "test/cli/send/{dry-run,gather-fixtures,replay,trigger}.test.ts",
      "test/cli/doctor/target.test.ts",
    ],
    without: ["src/relay/tunnel/**"],
    quick: true,
  },
  "src/cli/send": {
    tests: ["test/cli/send/*.test.ts", "test/cli/{bad-input,outcome/*}{,.system}{,.long}.test.ts"],
    quick: true,
  },
  "src/receiver": {
    tests: [
      "test/receiver/{,handlers/,options/}!(types).test.ts",
      "test/adapters/!(server).test.ts",
    ],
    also: ["src/adapters/*.ts", "src/adapters/lambda/*.ts"],
    without: ["src/adapters/{server,http-exchange}.ts"],
    quick: true,
  },
};

const { values: flags, positionals: paths } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    "at-least": { type: "string", default: "0" },
  },
  allowPositionals: true,
});
const isSample = flags.sample !== undefined;
if (isSample)
  process.env.HOOKPORTER_MUTANTS_SAMPLE = JSON.stringify([Number(flags.sample), flags.seed]);
for (const path of paths.length > 0 ? paths : Object.keys(FOLDERS)) {
  const folder = Object.keys(FOLDERS)
    .filter(
      (name) => path === name || path.startsWith(`${name}/`) || FOLDERS[name].also?.includes(path),
    )
    .sort((a, b) => b.length - a.length)[0];
  if (folder === undefined)
    throw new Error(`expected a path in ${Object.keys(FOLDERS).join(", ")}; got ${path}`);
  const { tests, also = [], without = [], quick = false } = FOLDERS[folder];
  process.env.HOOKPORTER_MUTANTS_TESTS = tests.join(" ");
  const report = `.mutants/${folder.replaceAll("/", "-")}`;
  const results = await new Stryker({
    ...settings,
    ...(isSample && {
      plugins: [...settings.plugins, "./tools/sample-mutants.js"],
      checkers: ["sample"],
      reporters: settings.reporters.filter((name) => name !== "html"),
    }),
    ignoreStatic: quick,
    // Stryker does not look again at mutants that run when a module is loaded, even if a new test finds them.
    incremental: quick && !isSample,
    mutate: [
      ...(path.endsWith(".ts") ? [path] : [`${path}/**/*.ts`, ...also]),
      ...without.map((pattern) => `!${pattern}`),
    ],
    incrementalFile: `${report}-known.json`,
    jsonReporter: { fileName: `${report}.json` },
    htmlReporter: { fileName: `${report}.html` },
  }).runMutationTest();
  if (isSample) tell(folder, results);
}

/**
 * Prints what became of a sample. A change of code that no test runs is one that no test notices.
 */
function tell(folder, results) {
  const of = (...states) => results.filter(({ status }) => states.includes(status)).length;
  const noticed = of("Killed", "Timeout");
  const untested = of("NoCoverage");
  const tried = noticed + of("Survived") + untested;
  const share = Math.round((noticed / tried) * 1000) / 10;
  console.log(
    `${folder}, seed ${flags.seed}: ${noticed} of ${tried} noticed (${of("Timeout")} by a time limit; no test runs ${untested}): ${share} %`,
  );
  if (share < Number(flags["at-least"])) process.exitCode = 1;
}
