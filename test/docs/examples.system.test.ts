import { SymbolFlags } from "typescript/unstable/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Declarations, ENTRIES, openDeclarations } from "../declarations.ts";
import { compileWithPackage } from "./compile-with-package.ts";
import { codeOf } from "./markdown.ts";

/** Types that have an example too. */
const TYPES = ["HookporterError", "InboxView"];

let declarations: Declarations;

beforeAll(() => {
  declarations = openDeclarations();
}, 60_000);

afterAll(() => declarations.close());

it("every exported function and class has an example that compiles", {
  timeout: 60_000,
}, async () => {
  const { checker } = declarations.project;
  const exported = ENTRIES.flatMap(({ file }) => declarations.exportsOf(file));
  const shown = exported.filter(({ name, flags }) => {
    return TYPES.includes(name) || (flags & (SymbolFlags.Function | SymbolFlags.Class)) !== 0;
  });
  const examples = new Map(
    shown.map((symbol) => {
      const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === "example");
      return [
        `${symbol.name}-${symbol.id}`,
        tags.flatMap(({ text = "" }) => codeOf(text, "ts")).join("\n"),
      ];
    }),
  );
  expect(examples.size).toBeGreaterThan(15);
  expect(
    [...examples].filter(([, code]) => !code.includes('from "hookporter')).map(([name]) => name),
  ).toEqual([]);
  const files = [...examples].map(([name, code]): [string, string] => [`${name}.ts`, code]);
  expect(await compileWithPackage(new Map(files))).toBe("");
});
