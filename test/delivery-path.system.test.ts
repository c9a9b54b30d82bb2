import { expect, it } from "vitest";
// @ts-expect-error: a script without types
import { deliveryPath } from "../tools/budgets.js";
import budgets from "../tools/budgets.json" with { type: "json" };
import { readPage } from "./docs/markdown.ts";
import { skip } from "./strangers/programs.ts";

/** A delivery must not get longer by the way: a change that adds steps takes others out. */
const MOST_FUNCTIONS = budgets["functions on a delivery's path"];
const MOST_FILES = budgets["files on a delivery's path"];
/** On a busy machine, writes gather while another commit is out, which takes other steps. */
const VARIATION = 5;

type Passed = { readonly files: Readonly<Record<string, number>>; readonly functions: number };

it("a delivery passes no more functions and files than before, and the page says how many", (context) => {
  const passed: Passed | undefined = deliveryPath();
  if (passed === undefined) return skip(context, "Node 24");
  expect(passed.functions).toBeGreaterThanOrEqual(MOST_FUNCTIONS - VARIATION);
  expect(passed.functions).toBeLessThanOrEqual(MOST_FUNCTIONS);
  const files = Object.keys(passed.files);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  const page = readPage("docs/architecture.md");
  expect(page).toContain(`${MOST_FUNCTIONS} functions in ${files.length} files`);
}, 300_000); // fetching Node may take its time
