import { defineConfig } from "vitest/config";

/** The tests that scripts/mutants.js has Stryker run: files of this process, as a child process runs `dist/`, without mutants. */
export default defineConfig({
  test: {
    include: (process.env.HOOKPORTER_MUTANTS_TESTS ?? "").split(" "),
    setupFiles: ["test/without-shrinking.ts"],
    testTimeout: 120_000, // with mutants, on a busy machine
  },
});
