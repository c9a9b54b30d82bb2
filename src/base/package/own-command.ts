import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownAddress } from "./own-address.ts";

/** How each package manager runs a program of the project, by its lock file. */
const RUNNERS: Readonly<Record<string, string>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bunx",
};

let runner: string | undefined;
let inboxWord: string | undefined;

/** Commands that act on an inbox. */
const ON_INBOX = /^(?:events|types|inbox (?:check|migrate|vacuum))(?: |$)/;

/**
 * Sets the `--inbox` of suggested commands: they would look into another inbox than this command
 * without it.
 */
export function suggestInbox(word: string | undefined): void {
  inboxWord = word;
}

/**
 * A command of this program, as messages suggest it to people who will copy it:
 * `npx hookporter events retry 6`.
 *
 * @param inbox - the `--inbox` of a command that acts on one. Default: what `suggestInbox` has set
 */
export function ownCommand(words: string, inbox = inboxWord): string {
  runner ??= findRunner(process.cwd(), ownAddress());
  const isNamed = words.includes(" --inbox ");
  const flag = inbox === undefined || isNamed || !ON_INBOX.test(words) ? "" : ` --inbox ${inbox}`;
  return `${runner}hookporter ${words}${flag}`;
}

/**
 * What has to come before the program's name in a folder: nothing for a global installation, `npx `
 * or the like if the package is the project's, or was run by `npx`, which keeps it in a cache of
 * its own.
 *
 * @param address - where this program is
 */
export function findRunner(cwd: string, address: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", ".bin", "hookporter"))) {
      const lock = Object.keys(RUNNERS).find((name) => existsSync(join(folder, name)));
      return `${lock === undefined ? "npx" : RUNNERS[lock]} `;
    }
    if (dirname(folder) === folder) return address.includes("/_npx/") ? "npx " : "";
  }
}
