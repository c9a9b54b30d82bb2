import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../docs/markdown.ts";

const STYLES = join(root, "src", "inspector", "ui", "styles");

/** What differs between two sessions: ids, digests, times and other numbers. */
const CHANCE = /evt_\w+|[0-9a-f]{8,}|\d[\d.:]*(?: (?:ms|s|min)\b)?/g;

/** The lines of a text, each once, with `#` for what differs between two sessions. */
export function wordsOf(text: string): string {
  const lines = text.split("\n").map((line) => line.replaceAll(CHANCE, "#").trim());
  const distinct = new Set(lines.filter((line) => line !== ""));
  return `${[...distinct].join("\n")}\n`;
}

/** The texts of a picture that `ansiToSvg` drew, one a line. */
export function textsOf(svg: string): string {
  const texts = svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g);
  return [...texts].map(([, text = ""]) => text).join("\n");
}

/** A digest of the style sheets of the page, which decide what its pictures look like. */
export function digestOfStyles(): string {
  const digest = createHash("sha256");
  for (const name of readdirSync(STYLES).sort()) digest.update(readFileSync(join(STYLES, name)));
  return digest.digest("hex");
}
