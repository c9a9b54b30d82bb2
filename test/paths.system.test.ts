import { expect, it } from "vitest";
// @ts-expect-error: a script without types
import { passedBy } from "../tools/budgets.js";
import budgets from "../tools/budgets.json" with { type: "json" };
import { readPage } from "./docs/markdown.ts";
import { skip } from "./strangers/programs.ts";

/** On a busy machine, writes gather while another commit is out, which takes other steps. */
const VARIATION = 5;

type Passed = { readonly files: Readonly<Record<string, number>>; readonly functions: number };

/** Neither may get longer by the way: a change that adds steps takes others out. */
it.for([
  [
    "delivery-path.js",
    budgets["functions on a delivery's path"],
    budgets["files on a delivery's path"],
  ],
  [
    "listen-path.js",
    budgets["functions on the way of listen's options"],
    budgets["files on the way of listen's options"],
  ],
] as const)(
  "%s finds no more functions and files than before, and the page says how many",
  { timeout: 300_000 }, // fetching Node may take its time
  ([script, mostFunctions, mostFiles], context) => {
    const passed: Passed | undefined = passedBy(script);
    if (passed === undefined) return skip(context, "Node 24");
    expect(passed.functions).toBeGreaterThanOrEqual(mostFunctions - VARIATION);
    expect(passed.functions).toBeLessThanOrEqual(mostFunctions);
    const files = Object.keys(passed.files);
    expect(files.length).toBeLessThanOrEqual(mostFiles);
    const page = readPage("docs/architecture.md");
    expect(page).toContain(`${mostFunctions} functions in ${files.length} files`);
  },
);
