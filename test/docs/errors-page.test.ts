import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ERROR_EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/errors.ts";
import { quoted, readPage, root, rowsOf } from "./markdown.ts";

const rows = rowsOf(readPage("docs/errors.md"));

it("the page lists every error code with its meaning and exit code, and no other", () => {
  const onPage = rows.map(([code = "", meaning, exit]) => [quoted(code)[0], meaning, exit]);
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  const inCode = codes.map((code) => [code, ERROR_CODES[code], String(ERROR_EXIT_CODES[code])]);
  expect(onPage).toEqual(inCode);
});

it("the page says what to do about each error", () => {
  expect(rows.filter((cells) => cells.length !== 4 || cells[3] === "")).toEqual([]);
});

it("every code is thrown somewhere", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) => {
    return name.endsWith(".ts") && name !== "errors.ts" && !name.endsWith("exit-codes.ts");
  });
  const source = files.map((name) => readPage(join("src", name))).join("");
  expect(Object.keys(ERROR_CODES).filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});
