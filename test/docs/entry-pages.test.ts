import type { LiteralType, Symbol as TypeSymbol } from "typescript/unstable/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declarations, ENTRIES, openDeclarations } from "../declarations.ts";
import {
  codeOf,
  quoted,
  readPage,
  rowsOf,
  sectionOf,
  sectionsOf,
  withoutCode,
} from "./markdown.ts";

const FOLDER = "docs/reference/package";

/** The page of each import is named like it. */
const pageOf = (name: string) => readPage(`${FOLDER}/${name.split("/")[1] ?? name}.md`);

let declarations: Declarations;

beforeAll(() => {
  declarations = openDeclarations();
}, 60_000);

afterAll(() => declarations.close());

describe.each(ENTRIES)("the page of `$name`", ({ name, file }) => {
  it("names every export", () => {
    const words = wordsOf(pageOf(name));
    const exported = declarations.exportsOf(file).map((symbol) => symbol.name);
    expect(exported.length).toBeGreaterThan(1);
    expect(exported.filter((text) => !words.has(text))).toEqual([]);
  });

  it("begins with what it is for, then has an example that imports it", () => {
    const page = pageOf(name);
    expect(page).toMatch(/^# .+\n\n[A-Z`[].+/);
    const [example = ""] = codeOf(page, "ts");
    expect(example).toContain(`from "${name}"`);
  });

  it("lists in its tables of types only what it exports", () => {
    const exported = new Set(declarations.exportsOf(file).map((symbol) => symbol.name));
    const listed = typeRows(pageOf(name)).flatMap(([first = ""]) => quoted(first));
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.filter((text) => !exported.has(text))).toEqual([]);
  });

  it("names each option of each function, or links to a page that does", () => {
    const { checker } = declarations.project;
    const rows = typeRows(pageOf(name));
    const missing = declarations
      .exportsOf(file)
      .filter((symbol) => symbol.name.endsWith("Options"))
      .flatMap((symbol) => {
        const [, meaning = ""] =
          rows.find(([first = ""]) => quoted(first).includes(symbol.name)) ?? [];
        const linked = [...meaning.matchAll(/\]\(([^)#]+\.md)/g)].map(([, path = ""]) =>
          readPage(`${FOLDER}/${path}`),
        );
        const words = wordsOf([pageOf(name), ...linked].join("\n"));
        const options = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
        expect(options.length, symbol.name).toBeGreaterThan(0);
        return options
          .filter((option) => !words.has(option.name))
          .map((option) => `${symbol.name}.${option.name}`);
      });
    expect(missing).toEqual([]);
  });
});

it.each([
  ["package/create-receiver", "createReceiver", ["ReceiverOptions", "RetryPolicy"]],
  ["package/client", "Options of createClient", ["ClientOptions", "RetryPolicy"]],
  ["package/sandbox", "startSandbox(options)", ["SandboxOptions"]],
  ["sandbox", "The log", ["SandboxDelivery"]],
  ["package/tracing", "createTracing(options)", ["TracingOptions"]],
  ["package/verify", "verify(body, headers, options)", ["VerifyOptions"]],
])("%s lists under %s every field of %j, and no other", (page, heading, types) => {
  const { checker } = declarations.project;
  const fields = types.flatMap((type) =>
    checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(exportNamed(type))),
  );
  const rows = rowsOf(sectionOf(readPage(`docs/reference/${page}.md`), heading));
  const onPage = rows.flatMap(([names = ""]) => quoted(names));
  expect(onPage.sort()).toEqual(fields.map(({ name }) => name).sort());
});

it.each(["ReceiverErrorCode", "ClientErrorCode", "SandboxErrorCode", "TestingErrorCode"])(
  "the page of errors lists every code of %s, and no other",
  (name) => {
    const { checker } = declarations.project;
    const type = checker.getDeclaredTypeOfSymbol(exportNamed(name));
    const codes = type.isUnionType()
      ? type.getTypes().map((one) => (one as LiteralType).value)
      : [];
    const rows = rowsOf(sectionOf(readPage("docs/reference/errors.md"), "By import"));
    const listed = (of: string): readonly string[] =>
      quoted(rows.find(([, type = ""]) => quoted(type)[0] === of)?.[2] ?? "").flatMap((code) =>
        code === "ReceiverErrorCode" ? listed(code) : [code],
      );
    expect([...listed(name)].sort()).toEqual(codes.sort());
  },
);

function exportNamed(name: string): TypeSymbol {
  const exported = ENTRIES.flatMap(({ file }) => declarations.exportsOf(file));
  const symbol = exported.find((one) => one.name === name);
  if (symbol === undefined) throw new Error(`expected an import to export ${name}`);
  return symbol;
}

/** The rows of all tables under headings that begin with "Types". */
function typeRows(page: string) {
  return [...sectionsOf(page)].flatMap(([heading, text]) =>
    heading.startsWith("Types") ? rowsOf(text) : [],
  );
}

/** The words in code on a page, outside of blocks. */
function wordsOf(page: string): ReadonlySet<string> {
  return new Set(quoted(withoutCode(page)).flatMap((code) => code.match(/\w+/g) ?? []));
}
