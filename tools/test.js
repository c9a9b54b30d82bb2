// `npm test`: style, types and a build, all at once, then the tests. What follows `--` is for
// Vitest: `npm test -- test/event`. `--busy` keeps as many processes busy beside it as there are
// cores, twice over, and runs the tests three times.
import { fork, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runQuietly } from "./check/run-quietly.js";

const root = join(import.meta.dirname, "..");
const program = (...path) => join(root, "node_modules", ...path);
const ROUNDS = 3;

process.chdir(root);
if (process.argv[2] === "--spin") spin();
else process.exitCode = await test(process.argv.slice(2));

async function test(argv) {
  const isBusy = argv.includes("--busy");
  const steps = await Promise.all([
    runQuietly("style", [program("@biomejs", "biome", "bin", "biome"), "check", "--colors=off"]),
    runQuietly("types", ["tools/types.js"]),
    runQuietly("build", ["tools/build.js"]),
  ]);
  const failed = steps.filter(({ code }) => code !== 0);
  for (const { name, text } of failed) console.log(`${text.trim()}\n\n${name}: failed`);
  if (failed.length > 0) return 1;
  const rest = argv.filter((argument) => argument !== "--busy");
  if (!isBusy) return vitest(rest);
  const others = Array.from({ length: 2 * availableParallelism() }, () =>
    fork(fileURLToPath(import.meta.url), ["--spin"]),
  );
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      console.log(`round ${round} of ${ROUNDS}, beside ${others.length} busy processes`);
      const code = vitest(rest);
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    for (const other of others) other.kill();
  }
}

/** What it writes to standard error, as receivers log there, is shown only if a test failed. */
function vitest(argv) {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-test-"));
  const file = join(folder, "stderr.log");
  const errors = openSync(file, "w");
  try {
    const all = [program("vitest", "vitest.mjs"), "run", ...argv];
    const code = spawnSync(process.execPath, all, { stdio: ["inherit", "inherit", errors] }).status;
    if (code !== 0) process.stderr.write(readFileSync(file));
    return code ?? 1;
  } finally {
    closeSync(errors);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Uses a core until the parent ends. */
function spin() {
  process.once("disconnect", () => process.exit());
  const work = () => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    setImmediate(work);
  };
  work();
}
