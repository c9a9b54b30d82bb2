/**
 * Mutation tests of one folder or file, run by tools/mutants.js, which chooses what to mutate and
 * which tests to run.
 */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "tools/vitest.mutants.ts" },
  // Stryker would rewrite a tsconfig that it finds, and the tests need none.
  tsconfigFile: "none",
  // Vitest removes types without checking them.
  disableTypeChecks: false,
  coverageAnalysis: "perTest",
  timeoutMS: 5000,
  dryRunTimeoutMinutes: 30,
  timeoutFactor: 2,
  tempDirName: ".mutants/copies",
  ignorePatterns: [".mutants", "docs/images", ".bench"],
  reporters: [
    process.stdout.isTTY ? "progress" : "progress-append-only",
    "clear-text",
    "json",
    "html",
  ],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  allowConsoleColors: false,
};
