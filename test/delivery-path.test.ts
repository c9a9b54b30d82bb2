import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quoted, readPage, root, sectionOf } from "./docs/markdown.ts";
import { skip } from "./strangers/programs.ts";

const SCRIPT = join(root, "scripts", "delivery-path.js");

/** The script runs the sources without a build, which older versions of Node cannot. */
const isNodeAtHand = Number.parseInt(process.versions.node, 10) >= 24;
const mayFetchNode = process.env.MODE === "system";

/** A delivery must not get longer by the way: a change that adds steps takes others out. */
const MOST_FUNCTIONS = 216;
/** On a busy machine, writes gather while another commit is out, which takes other steps. */
const VARIATION = 5;
const MOST_FILES = 62;

it("a delivery passes no more functions and files than before, and the page names those files", (context) => {
  const passed = measured();
  if (passed === undefined) return skip(context, "Node 24");
  expect(passed.functions).toBeGreaterThanOrEqual(MOST_FUNCTIONS - VARIATION);
  expect(passed.functions).toBeLessThanOrEqual(MOST_FUNCTIONS);
  const files = Object.keys(passed.files);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  const section = sectionOf(readPage("docs/architecture.md"), "The files of the path");
  const named = quoted(section).filter((text) => text.endsWith(".ts"));
  expect(named.toSorted()).toEqual(files.map((file) => `src/${file}`).toSorted());
  expect(section).toContain(`${MOST_FUNCTIONS} functions in ${files.length} files`);
}, 300_000); // fetching Node may take its time

/** What the script prints, under a Node that can run it; `undefined` if there is none. */
function measured():
  | { readonly files: Readonly<Record<string, number>>; readonly functions: number }
  | undefined {
  if (isNodeAtHand)
    return JSON.parse(execFileSync(process.execPath, [SCRIPT, "--json"], { encoding: "utf8" }));
  if (!mayFetchNode) return undefined;
  const { stdout, status } = spawnSync("npx", ["-y", "-p", "node@24", "node", SCRIPT, "--json"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  // Without a network there is no such Node, and nothing is printed; a failure of the script itself is one of the test.
  if (
    status !== 0 &&
    stdout === "" &&
    spawnSync("npx", ["-y", "-p", "node@24", "node", "--version"]).status !== 0
  )
    return undefined;
  return JSON.parse(stdout);
}
