// Mutation tests: changes the code in one place at a time, and looks whether a test fails. `npm run mutants` runs all folders
// below one after the other, `npm run mutants -- src/event` one folder, `npm run mutants -- src/event/utf8.ts` one file.
import { Stryker } from "@stryker-mutator/core";
import settings from "../stryker.config.js";

/**
 * The tests that run for each folder, and the files in it that are left out: their code runs in another thread or process,
 * where no mutant is active. `quick` leaves out code that runs when a module is loaded, as each such mutant runs all tests.
 */
const FOLDERS = {
  "src/event": { tests: ["test/event/*.test.ts"] },
  "src/signature": { tests: ["test/signature/*.test.ts"], without: ["src/signature/diagnose/*"] },
  "src/signature/diagnose": { tests: ["test/signature/diagnose/*.test.ts"], quick: true },
  "src/dispatch": { tests: ["test/dispatch/**/*.test.ts", "test/receiver/options/options.test.ts"] },
  "src/inbox": {
    tests: [
      "test/inbox/{access,damage,damaged-pages,lease,memory,new-entry,open,sqlite}.test.ts",
      "test/inbox/sqlite/processes/runners.test.ts",
      "test/receiver/{accept,retention}.test.ts",
    ],
    without: ["src/inbox/sqlite/**"],
    quick: true,
  },
  "src/inbox/sqlite": {
    tests: ["test/inbox/{access,damage,damaged-pages,open,sqlite}.test.ts", "test/inbox/sqlite/**/*.test.ts"],
    without: ["src/inbox/sqlite/thread/*.ts", "src/inbox/sqlite/{trust,care/check-process,file/presence}.ts"],
    quick: true,
  },
  "src/receiver": {
    tests: [
      "test/receiver/{,adapters/,handlers/,options/}!(answers|concurrent|server|types|ways-to-keep).test.ts",
    ],
    without: ["src/receiver/adapters/{server,http-exchange}.ts"],
    quick: true,
  },
};

const paths = process.argv.slice(2);
for (const path of paths.length > 0 ? paths : Object.keys(FOLDERS)) {
  const folder = Object.keys(FOLDERS)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (folder === undefined)
    throw new Error(`expected a path in ${Object.keys(FOLDERS).join(", ")}; got ${path}`);
  const { tests, without = [], quick = false } = FOLDERS[folder];
  process.env.HOOKPORTER_MUTANTS_TESTS = tests.join(" ");
  const report = `.mutants/${folder.replaceAll("/", "-")}`;
  await new Stryker({
    ...settings,
    ignoreStatic: quick,
    // Stryker does not look again at mutants that run when a module is loaded, even if a new test finds them.
    incremental: quick,
    mutate: [path.endsWith(".ts") ? path : `${path}/**/*.ts`, ...without.map((pattern) => `!${pattern}`)],
    incrementalFile: `${report}-known.json`,
    jsonReporter: { fileName: `${report}.json` },
    htmlReporter: { fileName: `${report}.html` },
  }).runMutationTest();
}
