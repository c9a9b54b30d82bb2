import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import rooms from "../../tools/architecture/rooms.json" with { type: "json" };
import { contributorPages, quoted, readPage, root, rowsOf, sectionOf } from "./markdown.ts";

const architecture = readPage("docs/architecture.md");
const isFile = (text: string) => /^(?:src|bin|test|tools)\/[\w./-]+\.\w+$/.test(text);

it("every file and folder that the pages for contributors name exists", () => {
  const pages = ["AGENTS.md", "CONTRIBUTING.md", ...contributorPages()];
  const named = pages.flatMap((page) =>
    quoted(readPage(page).replace(/^```[\s\S]*?^```$/gm, ""))
      .filter((text) => isFile(text) || /^(?:src|docs)\/[\w/-]+\/$/.test(text))
      .map((file) => ({ page, file })),
  );
  expect(named.length).toBeGreaterThan(35);
  expect(named.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
});

it("each room's first file begins with what comes in, what goes out and what never happens there, as the page says", () => {
  const text = sectionOf(architecture, "The rooms").replaceAll(/\s+/g, " ");
  const places = rooms.rows.flat().map(({ name, first }) => {
    const [, comment = ""] =
      /^\/\*\*\n([\s\S]*?)\n(?: \*\n| \*\/)/.exec(read(`src/${name}/${first}`)) ?? [];
    const sentences = comment.replaceAll(/^ \* /gm, "").replaceAll("\n", " ");
    expect(sentences.match(/\.(?: |$)/g), name).toHaveLength(3);
    return text.indexOf(`- \`src/${name}/\`: ${sentences}`);
  });
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

it("each place to look contains what it is said to contain", () => {
  const rows = rowsOf(sectionOf(architecture, "Where to look"));
  expect(rows.length).toBeGreaterThan(8);
  for (const [wanted = "", where = "", what = ""] of rows) {
    const code = quoted(where).map(read).join("\n");
    expect(
      quoted(what).filter((text) => !code.includes(text)),
      wanted,
    ).toEqual([]);
    expect(quoted(what).length, wanted).toBeGreaterThan(0);
  }
});

it("each step of a delivery is where the page says", () => {
  const steps = rowsOf(sectionOf(architecture, "The path of a delivery")).map(
    ([, where = ""]) => where,
  );
  expect(steps.length).toBeGreaterThan(10);
  for (const where of steps) {
    const code = quoted(where).filter(isFile).map(read).join("\n");
    const symbols = quoted(where).filter((text) => !isFile(text));
    const missing = symbols
      .flatMap((symbol) => symbol.split("."))
      .filter((name) => !isDefined(name, code));
    expect(missing, where).toEqual([]);
    expect(code, where).not.toBe("");
  }
});

it("every trap names only what exists", () => {
  const traps = sectionOf(architecture, "Traps");
  const code = quoted(traps).filter(isFile).map(read).join("\n");
  const symbols = [...traps.matchAll(/`([\w#]+)` in\s+`/g)].map(([, symbol = ""]) => symbol);
  expect(symbols.length).toBeGreaterThan(5);
  expect(symbols.filter((symbol) => !isDefined(symbol, code))).toEqual([]);
});

/** Whether a name is that of a function, class, type, method or constant in some code. */
function isDefined(name: string, code: string): boolean {
  const word = name.replace("#", "#\\b");
  const declared = new RegExp(`(?:function\\*?|class|interface|type|const) ${word}\\b`);
  const method = new RegExp(`^ +(?:async )?${word}\\??(?:<.*>)?\\(`, "m");
  return declared.test(code) || method.test(code);
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
