import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const tests = (process.env.HOOKPORTER_MUTANTS_TESTS ?? "").split(" ");

/**
 * The first failure ends the run of a mutant, so files that are listed by name, as they take long,
 * run last. Vitest would run them first.
 */
class LongLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      tests.findIndex((name) => moduleId.endsWith(name));
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/**
 * The tests that tools/mutants.js has Stryker run: files of this process, as a child process runs
 * `dist/`, without mutants.
 */
export default defineConfig({
  test: {
    include: tests,
    sequence: { sequencer: LongLast },
    setupFiles: ["test/without-shrinking.ts"],
    testTimeout: 300_000, // with mutants, on a busy machine
  },
});
