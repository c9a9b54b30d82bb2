import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The milliseconds that each test file took last, as vitest.config.ts notes them. */
export function readTimes(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {}; // none yet, or another run is writing them
  }
}

/**
 * Forgets the times of tests that are about to run, so that those without one afterwards did not
 * end.
 */
export function forgetTimes(file, tests) {
  const known = readTimes(file);
  for (const test of tests) delete known[test];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(known));
}

/** Notes a time for the tests that did not end, and returns them. */
export function noteUnfinished(file, tests, ms) {
  const known = readTimes(file);
  const unfinished = tests.filter((test) => known[test] === undefined);
  for (const test of unfinished) known[test] = ms;
  writeFileSync(file, JSON.stringify(known));
  return unfinished;
}
