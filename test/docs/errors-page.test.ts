import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { ERROR_EXIT_CODES } from "../../src/cli/exit-codes.ts";
import type { ClientErrorCode, ServiceError } from "../../src/entries/client.ts";
import {
  ConfigurationError,
  type ConfigurationErrorCode,
  ERROR_CODES,
  type ErrorCode,
  HookporterError,
  type ReceiverErrorCode,
} from "../../src/entries/index.ts";
import type { SandboxErrorCode } from "../../src/entries/sandbox.ts";
import type { TestingErrorCode } from "../../src/entries/testing.ts";
import { type AnyErrorCode, COMMAND_ERROR_CODES } from "../../src/errors.ts";
import { quoted, readPage, root, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/errors.md");
const rows = rowsOf(page.slice(0, page.indexOf("## ")));
const audiences = rowsOf(sectionOf(page, "By import"));

/**
 * Every code of each import. The types keep it whole: a code that comes or goes does not compile.
 */
const RECEIVER: Readonly<Record<ReceiverErrorCode, true>> = {
  option_invalid: true,
  secret_missing: true,
  secret_empty: true,
  retention_too_short: true,
  body_already_parsed: true,
  inbox_unsupported: true,
  inbox_client_missing: true,
  inbox_unavailable: true,
  inbox_unreachable: true,
  disk_full: true,
  disk_error: true,
  inbox_read_only: true,
  inbox_busy: true,
  inbox_corrupt: true,
  inbox_rescuing: true,
  inbox_newer: true,
  inbox_older: true,
  closed: true,
  handler_timeout: true,
  tx_ended: true,
};
const CLIENT: Readonly<Record<ClientErrorCode, true>> = {
  option_invalid: true,
  credential_missing: true,
  credential_invalid: true,
  service_refused: true,
  service_unauthorized: true,
  service_rate_limited: true,
  service_failed: true,
  service_answer_invalid: true,
  service_unreachable: true,
  service_timeout: true,
};
const SANDBOX: Readonly<Record<SandboxErrorCode, true>> = {
  option_invalid: true,
  port_unavailable: true,
};
const TESTING: Readonly<Record<TestingErrorCode, true>> = { ...RECEIVER, timed_out: true };

const ALL = { ...ERROR_CODES, ...COMMAND_ERROR_CODES };

/** Codes that `hookporter/sandbox` uses inside and never throws. */
const INSIDE_THE_SANDBOX = [
  "body_already_parsed",
  "secret_missing",
  "secret_empty",
  "target_unreachable",
  "closed",
];

const IMPORTS = [
  {
    type: "ReceiverErrorCode",
    codes: RECEIVER,
    faces: ["entries/index.ts", "entries/express.ts", "entries/node.ts"],
  },
  { type: "ClientErrorCode", codes: CLIENT, faces: ["entries/client.ts"] },
  {
    type: "SandboxErrorCode",
    codes: SANDBOX,
    faces: ["entries/sandbox.ts"],
    inside: INSIDE_THE_SANDBOX,
  },
  { type: "TestingErrorCode", codes: TESTING, faces: ["entries/testing.ts", "entries/express.ts"] },
];

describe.each(IMPORTS)("$type", ({ type, codes, faces, inside = [] }) => {
  const names = Object.keys(codes).sort();

  it("is on the page, with the codes it has", () => {
    const row = audiences.find((cells) => quoted(cells[1] ?? "")[0] === type);
    expect(codesOf(row?.[2] ?? "").sort()).toEqual(names);
  });

  it("has the codes that its sources throw, and no other", () => {
    const thrown = codesIn(reachable(faces)).filter((code) => !inside.includes(code));
    expect(thrown).toEqual(names);
  });
});

it("has the codes on the page that no program meets", () => {
  const row = audiences.find(([face]) => face === "the command line alone");
  expect([...quoted(row?.[2] ?? "")].sort()).toEqual(Object.keys(COMMAND_ERROR_CODES).sort());
  const ofImports = Object.keys({ ...RECEIVER, ...CLIENT, ...SANDBOX, ...TESTING });
  expect(Object.keys(ERROR_CODES).sort()).toEqual(ofImports.sort());
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

it("a switch over an error's code narrows it, and is known to be complete", () => {
  const kindOf = ({ code }: ConfigurationError): string => {
    switch (code) {
      case "secret_missing":
      case "secret_empty":
        return "secret";
      case "option_invalid":
      case "retention_too_short":
      case "body_already_parsed":
        expectTypeOf(code).toEqualTypeOf<
          "option_invalid" | "retention_too_short" | "body_already_parsed"
        >();
        return "code";
      case "inbox_unsupported":
      case "inbox_client_missing":
      case "credential_missing":
      case "credential_invalid":
        return "setup";
      default:
        return code satisfies never;
    }
  };
  expect(
    kindOf(new ConfigurationError("secret_empty", "expected a secret, got none: set one")),
  ).toBe("secret");
});

/** The codes of a row, with those of a type that it names. */
function codesOf(cell: string): string[] {
  return quoted(cell).flatMap((name) =>
    name === "ReceiverErrorCode" ? Object.keys(RECEIVER) : [name],
  );
}

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
    .filter((file) => file !== "errors.ts")
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
      return name.endsWith(".ts") && name !== "errors.ts" && !name.endsWith("exit-codes.ts");
    },
  );
  const source = files.map((name) => readPage(join("src", name))).join("");
  expect(Object.keys(ALL).filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});
