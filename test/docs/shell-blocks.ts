import { contributorPages, pagesIn, readPage } from "./markdown.ts";

/** A block of shell commands on a page. */
export interface ShellBlock {
  /** Where it is, such as `docs/metrics.md:6`. */
  readonly place: string;
  readonly code: string;
  /**
   * Why it is not run: the text of `<!-- skip: … -->` above it, or that its section needs a clone.
   */
  readonly skip: string | undefined;
}

/** Tests of guides and of the operations page follow these, and compare what they print. */
const FOLLOWED = /^docs\/(?:guides\/|quickstart\/|operations\.md$)/;

/** The heading under which all commands need a clone of the repository. */
const CLONE = "## From a clone";

/** The pages whose commands a user types: those for contributors are about a clone. */
export function userPages(): readonly string[] {
  return ["README.md", ...pagesIn("docs")].filter((page) => !contributorPages().includes(page));
}

/** The pages with commands that no other test follows. */
export function pagesToRun(): readonly string[] {
  const pages = userPages().filter((page) => !FOLLOWED.test(page));
  return pages.filter((page) =>
    blocksOf(page, readPage(page)).some(({ skip }) => skip === undefined),
  );
}

/** The blocks of one page. */
export function blocksOf(page: string, text: string): readonly ShellBlock[] {
  const found = text.matchAll(/(?:^ *<!-- skip: (.*) -->\n)?^( *)```sh\n([\s\S]*?)^ *```$/gm);
  return [...found].map((match) => {
    const [whole, reason, indent = "", code = ""] = match;
    const before = text.slice(0, match.index + whole.indexOf("```"));
    const isClone = before
      .split(/^(?=## )/m)
      .at(-1)
      ?.startsWith(CLONE);
    return {
      place: `${page}:${before.split("\n").length}`,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      skip: isClone ? "a clone of the repository" : reason,
    };
  });
}

/** What the pages write instead of a reader's own addresses, folders and signatures. */
const EXAMPLES: readonly (readonly [string, string])[] = [
  ["hookporter@latest", "hookporter"],
  ["https://app.example/", "http://127.0.0.1:3000/"],
  ['"sha256=…"', '"$(npx hookporter sign body.json)"'],
  ["@db.example.com/", "@127.0.0.1/"],
  ["&sslmode=verify-full", ""],
  [" /backups/", " backups/"],
];

/** The commands for a clone, and each block, with the name of its file if it has one. */
const CLONE_SECTION = new RegExp(`^${CLONE}\\n[\\s\\S]*?(?=^## )`, "gm");
const BLOCK = /(<!-- file: .* -->\n)?^ *```(\S*).*\n[\s\S]*?^ *```$/gm;

/** A page with what a reader has here, and without what they do not type; its lines stay. */
export function ownPage(page: string): string {
  const emptied = (text: string) => text.replaceAll(/.+/g, "");
  const typed = readPage(page)
    .replaceAll(CLONE_SECTION, emptied)
    .replaceAll(BLOCK, (block, file, language) =>
      file === undefined && language !== "sh" ? emptied(block) : block,
    );
  return EXAMPLES.reduce((text, [from, to]) => text.replaceAll(from, to), typed);
}
