import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The project's folder. */
export const root = join(import.meta.dirname, "..", "..");

/** A page's text, by its path in the project. */
export function readPage(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The paths of all pages in a folder of the project and in the folders below it, in order. */
export function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md"))
    .sort();
}

/**
 * The pages of docs/ for people who change hookporter: they are neither in the package nor on the
 * site.
 */
export function contributorPages(): readonly string[] {
  const { files } = JSON.parse(readPage("package.json")) as { files: readonly string[] };
  return files.filter((path) => /^!docs\/.*\.md$/.test(path)).map((path) => path.slice("!".length));
}

/** A page's sections by heading, each without its subsections. */
export function sectionsOf(page: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  for (const part of withoutCode(page)
    .split(/^#{1,6} /m)
    .slice(1)) {
    const [heading = "", ...lines] = part.split("\n");
    sections.set(heading.replaceAll("`", ""), lines.join("\n"));
  }
  return sections;
}

/** One section; fails if the page has none with that heading. */
export function sectionOf(page: string, heading: string): string {
  const section = sectionsOf(page).get(heading);
  if (section === undefined) throw new Error(`the page has no section ${JSON.stringify(heading)}`);
  return section;
}

/** A page with everything emptied but one section, by its anchor; the lines keep their numbers. */
export function onlySection(page: string, anchor: string): string {
  if (!anchorsOf(page).includes(anchor)) throw new Error(`the page has no section #${anchor}`);
  return page
    .split(/^(?=#{1,6} )/m)
    .map((part) => (anchorsOf(part)[0] === anchor ? part : part.replaceAll(/.+/g, "")))
    .join("");
}

/** The anchors that GitHub gives to a page's headings. */
export function anchorsOf(page: string): readonly string[] {
  return [...sectionsOf(page).keys()].map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

/**
 * The rows of every table in a text, without headings; cells keep their backticks, and `″` is what
 * the cell above says.
 */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split("\n");
  const rows: (readonly string[])[] = [];
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("|") || isRuler(line) || isRuler(lines[index + 1] ?? "")) continue;
    const cells = line.split("|").slice(1, -1);
    const above = rows.at(-1) ?? [];
    rows.push(
      cells.map((cell, column) => (cell.trim() === "″" ? (above[column] ?? "") : cell.trim())),
    );
  }
  return rows;
}

/**
 * The code of every fenced block in a language, also of those in lists, without their indentation.
 */
export function codeOf(page: string, language: string): readonly string[] {
  const blocks = page.matchAll(/^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm);
  return [...blocks].flatMap(([, indent = "", tag, code = ""]) =>
    tag === language ? [code.replaceAll(new RegExp(`^${indent}`, "gm"), "")] : [],
  );
}

/** The texts between backticks. */
export function quoted(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** A page without its fenced blocks, so that a comment in one is not read as a heading. */
export function withoutCode(page: string): string {
  return page.replace(/^ *```[\s\S]*?^ *```$/gm, "");
}

function isRuler(line: string): boolean {
  return /^\|[-:| ]+\|$/.test(line);
}
