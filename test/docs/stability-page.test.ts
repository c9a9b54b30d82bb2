import { expect, it } from "vitest";
import { REPORT_SCHEMA_VERSION } from "../../src/check/report-json.ts";
import { RECORD_SCHEMA_VERSION } from "../../src/cli/output.ts";
import entries from "../../tools/entries.json" with { type: "json" };
import { readPage } from "./markdown.ts";

const page = readPage("docs/reference/stability.md");

it("the page has the versions of the records and of the report of `check`", () => {
  expect(page).toContain(`types and fields, \`schemaVersion\` ${RECORD_SCHEMA_VERSION}`);
  expect(page).toContain(`JSON report, \`schemaVersion\` ${REPORT_SCHEMA_VERSION}`);
});

it("every import is covered but those that their own page calls unstable", () => {
  const unstable = Object.keys(entries).filter(
    (name) =>
      name !== "." &&
      /\*\*unstable\*\*/.test(readPage(`docs/reference/package/${name.slice(2)}.md`)),
  );
  const uncovered = [...page.matchAll(/every import but `hookporter(\/\w+)`/g)].map(
    ([, name]) => `.${name}`,
  );
  expect(uncovered).toEqual(unstable);
});
