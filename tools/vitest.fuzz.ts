import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Tests with properties of what strangers send: bodies, headers, envelopes, fixtures. */
const FILES = [
  "test/hostile/fuzz.long.test.ts",
  "test/relay/fixture.test.ts",
  "test/signature/verify.test.ts",
  "test/http/retry-after.test.ts",
  ...[
    "canonical-json",
    "canonical-number",
    "envelope",
    "exact-json",
    "identity",
    "restamp",
    "timestamp",
  ].map((name) => `test/event/${name}.test.ts`),
];
const properties = FILES.flatMap(
  (file) => readFileSync(file, "utf8").match(/fc\.assert\(/g) ?? [],
).length;

/**
 * The properties of these files, each for its share of `HOOKPORTER_FUZZ_MINUTES` (10 if unset),
 * from `HOOKPORTER_FUZZ_SEED` (drawn and printed if unset).
 */
const milliseconds = Number(process.env.HOOKPORTER_FUZZ_MINUTES ?? 10) * 60_000;
const seed = process.env.HOOKPORTER_FUZZ_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
process.stdout.write(`${properties} properties, seed ${seed}\n`);

export default defineConfig({
  test: {
    include: FILES,
    setupFiles: ["test/for-a-time.ts"],
    env: {
      HOOKPORTER_LONG: "1", // for the time limits of tests
      HOOKPORTER_FUZZ: JSON.stringify({
        seed: Number(seed),
        interruptAfterTimeLimit: milliseconds / properties,
      }),
    },
    fileParallelism: false,
    testTimeout: milliseconds + 60_000,
  },
});
