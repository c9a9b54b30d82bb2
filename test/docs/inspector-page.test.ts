import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ENTRANCE_ROUTES } from "../../src/inspector/auth/entrance.ts";
import { DEFAULT_INSPECTOR_PORT } from "../../src/inspector/default-port.ts";
import { ROUTE_NAMES } from "../../src/inspector/routes.ts";
import { readPage, root, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/inspector.md");

it("the page lists every route of the API, and no other", () => {
  const rows = rowsOf(sectionOf(page, "The API"));
  expect(rows.map(([route = ""]) => route.replaceAll("`", "")).sort()).toEqual(
    [...ROUTE_NAMES, ...ENTRANCE_ROUTES].sort(),
  );
});

it("names the port that the page is on", () => {
  expect(page).toContain(`The page is on port ${DEFAULT_INSPECTOR_PORT} of 127.0.0.1`);
});

it("the page lists every action by the name of its button", () => {
  const source = ["entry/entry-actions.tsx", "overview/overview-page.tsx"]
    .map((name) => readFileSync(join(root, "src", "inspector", "ui", name), "utf8"))
    .join("");
  // the menu before its item
  const names = rowsOf(sectionOf(page, "Actions")).map(([name = ""]) => name.replace(/^.* → /, ""));
  expect(names.length).toBeGreaterThan(9);
  expect(names.filter((name) => !source.includes(name))).toEqual([]);
});
