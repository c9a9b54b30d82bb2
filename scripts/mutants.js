// Mutation tests: changes the code in one place at a time and looks whether a test fails. `npm run mutants` runs all folders
// below, `npm run mutants -- src/event` one folder or file.
import { Stryker } from "@stryker-mutator/core";
import base from "../stryker.config.js";

/**
 * The tests of each folder. Tests that only start `dist/` or another thread are left out, as no mutant is active there.
 */
const TESTS = {
  "src/event": ["test/event/**/*.test.ts"],
  "src/signature/diagnose": ["test/signature/diagnose/*.test.ts"],
  "src/signature": ["test/signature/*.test.ts"],
  "src/dispatch": ["test/dispatch/**/*.test.ts"],
};

const given = process.argv.slice(2);
const paths = given.length > 0 ? given : Object.keys(TESTS);
for (const path of paths) {
  const [folder, tests] =
    Object.entries(TESTS).find(([name]) => path === name || path.startsWith(`${name}/`)) ?? [];
  if (!tests) throw new Error(`expected a path in ${Object.keys(TESTS).join(", ")}, got ${path}`);
  process.env.HOOKPORTER_MUTANTS_TESTS = tests.join(",");
  const apart = Object.keys(TESTS).filter((other) => other.startsWith(`${path}/`));
  const name = folder.replaceAll("/", "-");
  await new Stryker({
    ...base,
    mutate: [path.endsWith(".ts") ? path : `${path}/**/*.ts`, ...apart.map((other) => `!${other}/**`)],
    incrementalFile: `.mutants/${name}-known.json`,
    jsonReporter: { fileName: `.mutants/${name}.json` },
    htmlReporter: { fileName: `.mutants/${name}.html` },
  }).runMutationTest();
}
