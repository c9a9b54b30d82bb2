import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../docs/markdown.ts";

/**
 * The lines of a page's blocks, of shell or text, as its reader has it in the installed package:
 * all of them, or those below a heading or another text.
 */
export function linesOf(
  project: string,
  page: string,
  below = "",
  language: "sh" | "text" = "sh",
): readonly string[] {
  const text = readFileSync(join(project, "node_modules", "hookporter", page), "utf8");
  const from = text.indexOf(below);
  if (from === -1) throw new Error(`expected ${page} to have "${below}"`);
  const section = below.startsWith("#") ? sectionFrom(text.slice(from)) : text.slice(from);
  return codeOf(section, language).flatMap((block) => block.trim().split("\n"));
}

/** A section, to the next heading of its level or a higher one. */
function sectionFrom(text: string): string {
  const level = /^#+/.exec(text)?.[0].length ?? 1;
  const end = text.slice(level).search(new RegExp(`^#{1,${level}} `, "m"));
  return end === -1 ? text : text.slice(0, level + end);
}

/** The commands that a text tells its reader to run. */
export function commandsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`(npx hookporter[^`]+)`/g)].map(([, command = ""]) => command);
  const rest = text.replaceAll(/`[^`]*`/g, "");
  const bare = [...rest.matchAll(/npx hookporter (?:[^\s"]|"[^"\n]*"| (?=\S))+/g)].map(
    ([command]) => command.replace(/[.,;:)]$/, ""),
  );
  return [...new Set([...quoted, ...bare])];
}
