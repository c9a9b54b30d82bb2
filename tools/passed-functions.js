// The functions of src/ that ran, from V8's coverage, and how they are printed. Shared by the
// scripts that measure a path.
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sources = join(import.meta.dirname, "..", "src");

/** @type {(name: string) => Promise<any>} */
export const load = (name) => import(pathToFileURL(join(sources, name)).href);

/**
 * The functions of a script that ran, as `file name:offset`, if it is one of src/.
 *
 * @param {import("node:inspector").Profiler.ScriptCoverage} script
 */
export function functionsOf({ url, functions }) {
  if (!url.startsWith("file:")) return [];
  const file = relative(sources, fileURLToPath(url)).replaceAll("\\", "/");
  if (file.startsWith("..")) return [];
  const ran = functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0);
  return ran.map(
    ({ functionName, ranges: [range] }) =>
      `${file} ${functionName || "(anonymous)"}:${range?.startOffset}`,
  );
}

/**
 * Prints how many functions were passed in how many files; with `--functions` their names, with
 * `--json` `{ files: { name: count }, functions }`.
 *
 * @param {readonly string[]} names
 */
export function report(names) {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const name of names) {
    const [file = "", rest = ""] = name.split(/ (.*)/);
    files.set(file, [...(files.get(file) ?? []), rest.replace(/:\d+$/, "")]);
  }
  if (process.argv.includes("--json")) {
    const counts = Object.fromEntries([...files].map(([file, all]) => [file, all.length]));
    console.log(JSON.stringify({ files: counts, functions: names.length }));
    return;
  }
  for (const [file, all] of files) {
    console.log(`${String(all.length).padStart(3)} src/${file}`);
    if (process.argv.includes("--functions")) console.log(`      ${all.join(", ")}`);
  }
  console.log(`${names.length} functions in ${files.size} files`);
}
