import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { tooOld } from "../../../src/base/package/node-version.ts";
import entries from "../../../tools/entries.json" with { type: "json" };

const dist = join(import.meta.dirname, "..", "..", "..", "dist");

/** Runs a program in a process that says it is another version of Node. */
async function runOn(version: string, source: string) {
  const pretend = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} });`;
  const run = promisify(execFile)(process.execPath, ["-e", pretend + source]);
  return run.then(({ stdout, stderr }) => ({ code: 0, stdout, stderr })).catch((error) => error);
}

const LINE = "hookporter needs Node.js 20.19 or newer, and this is 18.20.4: install a newer one";

it("the oldest version is that of package.json", () => {
  expect(tooOld("20.18.3")).toContain(packageJson.engines.node.replace(">=", ""));
  expect(tooOld("20.19.0")).toBeUndefined();
  expect(tooOld("26.1.0")).toBeUndefined();
});

it.each(["doctor", "--version", "init"])(
  "`hookporter %s` says in one line that a Node is too old",
  async (argument) => {
    const source = `process.argv.splice(1, 0, "hookporter"); process.argv[2] = "${argument}"; require(${JSON.stringify(join(dist, "hookporter.cjs"))});`;
    expect(await runOn("18.20.4", source)).toMatchObject({
      code: 3,
      stdout: "",
      stderr: `error: ${LINE}\n`,
    });
  },
);

const NAMES = Object.keys(entries).map((name) => (name === "." ? "index" : name.slice(2)));

it("each import says so too", async () => {
  const names = NAMES.filter((name) => name !== "verify");
  const paths = names.map((name) => join(dist, name));
  const each = `for (const path of ${JSON.stringify(paths)})`;
  const imported = await runOn(
    "18.20.4",
    `(async () => { ${each} await import(path + ".js").catch((error) => console.log(path, error.message)); })();`,
  );
  const required = await runOn(
    "18.20.4",
    `${each} try { require(path + ".cjs"); } catch (error) { console.log(path, error.message); }`,
  );
  const expected = paths.map((path) => `${path} ${LINE}\n`).join("");
  expect([imported.stdout, required.stdout]).toEqual([expected, expected]);
});

it("no built file imports by its name what an old Node lacks, which would end it before that line", () => {
  const newer =
    /\b(?:hash|parseEnv|isAscii|isUtf8|statfsSync|getCallSites|matchesGlob|findPackageJSON)\b/;
  const files = readdirSync(dist).filter((name) => name.endsWith(".js"));
  expect(files.length).toBeGreaterThan(20);
  const found = files.flatMap((name) => {
    const imports = readFileSync(join(dist, name), "utf8").matchAll(
      /^import \{([^}]*)\} from "node:/gm,
    );
    return [...imports]
      .filter(([, names = ""]) => newer.test(names))
      .map(([line]) => `${name}: ${line}`);
  });
  expect(found).toEqual([]);
});
