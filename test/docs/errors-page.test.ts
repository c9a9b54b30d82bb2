import { expect, it } from "vitest";
import { ERROR_EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/errors.ts";
import { quoted, readPage, rowsOf } from "./markdown.ts";

const rows = rowsOf(readPage("docs/errors.md"));

it("lists every error code with its meaning and exit code, and no other", () => {
  const onPage = rows.map(([code = "", meaning, exit]) => [quoted(code)[0], meaning, exit]);
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  const inCode = codes.map((code) => [code, ERROR_CODES[code], String(ERROR_EXIT_CODES[code])]);
  expect(onPage).toEqual(inCode);
});

it("says what to do about each", () => {
  expect(rows.filter((cells) => cells.length !== 4 || cells[3] === "")).toEqual([]);
});
