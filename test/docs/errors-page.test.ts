import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, expectTypeOf, it } from "vitest";
import { type AnyErrorCode, COMMAND_ERROR_CODES } from "../../src/base/errors.ts";
import { ERROR_EXIT_CODES } from "../../src/cli/exit-codes.ts";
import type { ServiceError } from "../../src/entries/client.ts";
import {
  type ConfigurationError,
  type ConfigurationErrorCode,
  ERROR_CODES,
  type ErrorCode,
  HookporterError,
} from "../../src/entries/index.ts";
import { quoted, readPage, root, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/errors.md");
const rows = rowsOf(page.slice(0, page.indexOf("## ")));
const audiences = rowsOf(sectionOf(page, "By import"));

const ALL = { ...ERROR_CODES, ...COMMAND_ERROR_CODES };

/** The codes that the page lists for a type, or for an audience, with those of a type it names. */
function codesFor(audience: string): readonly string[] {
  const row = audiences.find(([face = "", type = ""]) =>
    [face, quoted(type)[0]].includes(audience),
  );
  return quoted(row?.[2] ?? "").flatMap((name) =>
    name === "ReceiverErrorCode" ? codesFor(name) : [name],
  );
}

it.each([
  ["ReceiverErrorCode", "entries/index.ts entries/express.ts entries/node.ts", ""],
  ["ClientErrorCode", "entries/client.ts", ""],
  [
    "SandboxErrorCode",
    "entries/sandbox.ts",
    // which it uses inside and never throws
    "body_already_parsed secret_missing secret_empty target_unreachable closed",
  ],
  ["TestingErrorCode", "entries/testing.ts entries/express.ts", ""],
])("the codes of %s are those that its sources throw, and no other", (type, faces, inside) => {
  const thrown = codesIn(reachable(faces.split(" ")));
  const own = thrown.filter((code) => !inside.split(" ").includes(code));
  expect([...codesFor(type)].sort()).toEqual(own);
});

it("the page has the codes that no program meets", () => {
  const alone = codesFor("the command line alone");
  expect([...alone].sort()).toEqual(Object.keys(COMMAND_ERROR_CODES).sort());
  const types = audiences.flatMap(([, type = ""]) => quoted(type));
  const ofImports = new Set(types.flatMap(codesFor));
  expect(Object.keys(ERROR_CODES).sort()).toEqual([...ofImports].sort());
});

it("the type of an error's code has none of the command line's codes", () => {
  expectTypeOf<HookporterError["code"]>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<Extract<ErrorCode, "tunnel_failed" | "usage" | "handlers_invalid">>().toBeNever();
  expectTypeOf<ConfigurationError>().toExtend<HookporterError>();
  expectTypeOf<ServiceError>().toExtend<HookporterError>();
  expectTypeOf<ConfigurationError["code"]>().toEqualTypeOf<ConfigurationErrorCode>();
  const narrow = (error: unknown) => (error instanceof HookporterError ? error.code : undefined);
  expectTypeOf(narrow).returns.toEqualTypeOf<ErrorCode | undefined>();
  expect(narrow(new HookporterError("inbox_busy", "expected less, got more: wait"))).toBe(
    "inbox_busy",
  );
});

/** The source files that importing others loads. */
function reachable(faces: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !file.endsWith(".ts")) return;
    seen.add(file);
    const text = readPage(join("src", file));
    const found = text.matchAll(
      /^(?:im|ex)port (?!type\b)[^;"]*from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm,
    );
    for (const [, from, loaded] of found) visit(join(dirname(file), from ?? loaded ?? ""));
  };
  for (const face of faces) visit(face);
  return [...seen];
}

/** The codes that files mention. */
function codesIn(files: readonly string[]): readonly string[] {
  const source = files
    .filter((file) => file !== "base/errors.ts")
    .map((file) => {
      // examples name codes too
      return readPage(join("src", file)).replaceAll(/^ *\/\*\*.*?\*\/$/gms, "");
    });
  const codes = Object.keys(ALL).filter((code) =>
    source.some((text) => text.includes(`"${code}"`)),
  );
  return codes.sort();
}

it("the page lists every error code with its meaning and exit code, and no other", () => {
  const onPage = rows.map(([code = "", meaning, exit]) => [quoted(code)[0], meaning, exit]);
  const codes = Object.keys(ALL) as AnyErrorCode[];
  const inCode = codes.map((code) => [code, ALL[code], String(ERROR_EXIT_CODES[code])]);
  expect(onPage.sort()).toEqual(inCode.sort());
});

it("the page says what to do about each error", () => {
  expect(rows.filter((cells) => cells.length !== 4 || cells[3] === "")).toEqual([]);
});

it("every code is thrown somewhere", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => {
      return name.endsWith(".ts") && name !== "base/errors.ts" && !name.endsWith("exit-codes.ts");
    },
  );
  const source = files.map((name) => readPage(join("src", name))).join("");
  expect(Object.keys(ALL).filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});
