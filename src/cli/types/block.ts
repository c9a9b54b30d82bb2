import { createHash } from "node:crypto";

/** A part of a source file that was written for one kind, between two lines of comment. */
export interface Block {
  readonly name: string;
  /** What is between the two lines. */
  readonly text: string;
}

/** A part of a source file as it was found. */
export interface BlockPart {
  /** All of its text, with the lines around a block. */
  readonly source: string;
  /** Absent for what is not in a block. */
  readonly block?: Block;
  /** Whether a block's text is another than the one that its hash was made of. */
  readonly isEdited: boolean;
}

const HASH_DIGITS = 12;
const START = /^\/\/ learned (\S+) ([0-9a-f]{12})$/;

/**
 * Returns a block with the lines around it. Its first line carries a hash of the text, by which an
 * edit is noticed.
 */
export function blockText({ name, text }: Block): string {
  return `// learned ${name} ${hashOf(text)}\n${text}// end of ${name}\n`;
}

/** Returns the parts of a source file in order. A block whose end is missing is ordinary text. */
export function readParts(source: string): readonly BlockPart[] {
  const lines = source.split(/(?<=\n)/);
  const parts: BlockPart[] = [];
  let plain = "";
  const endPlain = () => {
    if (plain !== "") parts.push({ source: plain, isEdited: false });
    plain = "";
  };
  for (let at = 0; at < lines.length; at++) {
    const [, name, hash] = START.exec(lines[at]?.trimEnd() ?? "") ?? [];
    const end =
      name === undefined
        ? -1
        : lines.findIndex((line, index) => index > at && line.trimEnd() === `// end of ${name}`);
    if (name === undefined || end < 0) {
      plain += lines[at];
      continue;
    }
    endPlain();
    const text = lines.slice(at + 1, end).join("");
    const source = lines.slice(at, end + 1).join("");
    parts.push({ source, block: { name, text }, isEdited: hashOf(text) !== hash });
    at = end;
  }
  endPlain();
  return parts;
}

/**
 * A formatter may wrap lines, and change quotes, semicolons and trailing commas: that is no edit.
 */
function hashOf(text: string): string {
  const plain = text
    .replace(/[\s;]/g, "")
    .replaceAll("'", '"')
    .replace(/,(?=[}\])])/g, "");
  return createHash("sha256").update(plain).digest("hex").slice(0, HASH_DIGITS);
}
