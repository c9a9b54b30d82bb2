// The check between edits: style, types, a build if dist/ is old, and the tests of what changed, in
// under 20 seconds. node tools/check.js [--since REF]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { chooseTests } from "./check/choose-tests.js";
import { runQuietly } from "./check/run-quietly.js";
import { forgetTimes, noteUnfinished, readTimes } from "./check/test-times.js";

const LIMIT = 20_000;
/** Milliseconds for what the times of tests do not include: starting, loading modules, ending. */
const OVERHEAD = 4000;
/**
 * Milliseconds that tests get in any case, on a machine so busy that the rest took all of the time.
 */
const LEAST = 5000;
const WORKERS = Math.min(2, availableParallelism());

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "hookporter");
/** Written by vitest.config.ts: the milliseconds that each test file took last. */
const timesFile = join(cache, "test-times.json");
const program = (...path) => join(root, "node_modules", ...path);
const started = performance.now();
const elapsed = () => performance.now() - started;

process.chdir(root);
mkdirSync(cache, { recursive: true });
const changed = changedFiles();
const quietly = ["--no-errors-on-unmatched", "--files-ignore-unknown=true"];
const styled = changed.some((file) => /^(?:biome|package)\.json$/.test(file))
  ? ["."]
  : [...quietly, ...changed];
const build = distIsOld() ? [runQuietly("build", ["tools/build.js"])] : [];
const sources = changed.filter((file) => /^src\/.*(?<!\.d)\.tsx?$/.test(file));
const expressions =
  sources.length > 0 ? [runQuietly("expressions", ["tools/expressions.js", ...sources])] : [];
const steps = await Promise.all([
  runQuietly("style", [
    program("@biomejs", "biome", "bin", "biome"),
    "check",
    "--colors=off",
    ...styled,
  ]),
  runQuietly("types", ["tools/types.js", "--incremental"]),
  ...expressions,
  ...build,
]);
const failed = steps.filter(({ code }) => code !== 0);
for (const { name, text } of failed) console.log(`${text.trim()}\n\n${name}: failed`);
if (failed.length === 0) process.exitCode = await test();
else process.exitCode = 1;
console.log(`${process.exitCode === 0 ? "ok" : "failed"} after ${(elapsed() / 1000).toFixed(1)} s`);

/** Runs the tests of what changed; returns the exit code. */
async function test() {
  const time = Math.max(LEAST, LIMIT - OVERHEAD - elapsed());
  const known = readTimes(timesFile);
  const { run: files, left } = chooseTests({
    changed,
    tests: testFiles(),
    known,
    time,
    workers: WORKERS,
  });
  if (files.length === 0) console.log("no test was run for what changed");
  else forgetTimes(timesFile, files);
  const vitest = [program("vitest", "vitest.mjs"), "run", ...files];
  const { code, text, stopped } =
    files.length === 0 ? { code: 0, text: "" } : await runQuietly("tests", vitest, time + OVERHEAD);
  const unfinished = files.length === 0 ? [] : noteUnfinished(timesFile, files, LIMIT);
  // The reporter marks each failure at once, so nothing failed before tests were stopped if there
  // is no mark.
  const passed = code === 0 || (stopped && !/[×❯]/.test(text));
  console.log(code === 0 ? text.trim().split("\n").at(-1) : text.trim());
  if (stopped)
    console.log(`stopped, since these take longer: npx vitest run ${unfinished.join(" ")}`);
  if (left.length > 0)
    console.log(`not run, since these take longer: npx vitest run ${left.join(" ")}`);
  return passed ? 0 : 1;
}

/**
 * The files that differ from what is on `main` elsewhere, or from a given commit, including those
 * that are new.
 */
function changedFiles() {
  const at = process.argv.indexOf("--since");
  const given = at < 0 ? undefined : process.argv[at + 1];
  const base = given ?? git("merge-base HEAD origin/main") ?? git("merge-base HEAD main") ?? "HEAD";
  const differing = git(`diff --name-only --diff-filter=d ${base}`);
  if (differing === undefined) throw new Error(`expected a commit after --since, got ${base}`);
  const found = `${differing}\n${git("ls-files --others --exclude-standard") ?? ""}`;
  return [...new Set(found.split("\n"))].filter((file) => file !== "");
}

function git(command) {
  try {
    const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return execFileSync("git", command.split(" "), options).trim();
  } catch {
    return undefined;
  }
}

function distIsOld() {
  const built = join(root, "dist", "hookporter.cjs");
  if (!existsSync(built)) return true;
  const made = statSync(built).mtimeMs;
  const sources = ["src", "bin"].flatMap((folder) => filesIn(folder));
  return [...sources, "tools/build.js", "package.json", "tsconfig.build.json"].some(
    (file) => statSync(join(root, file)).mtimeMs > made,
  );
}

/** All tests, with the files that they import. */
function testFiles() {
  return filesIn("test")
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
      return { file, imports: [...found].map((match) => slashed(join(dirname(file), match[1]))) };
    });
}

function filesIn(folder) {
  const path = join(root, folder);
  const found = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return found.map((entry) => slashed(relative(root, join(entry.parentPath, entry.name))));
}

function slashed(path) {
  return path.replaceAll("\\", "/");
}
