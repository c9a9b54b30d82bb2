import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeFileError } from "../../base/file-error.ts";
import { isRecord } from "../../base/guards.ts";
import { tryOr } from "../../base/try-or.ts";
import type { TokenRecord, TokenRecords } from "../../inspector/auth/known-tokens.ts";
import { drawToken } from "../../inspector/auth/token.ts";
import { makeFile, replaceFile } from "../files/replace-file.ts";
import { readOwnFile, STATE_FOLDER } from "../files/state-folder.ts";
import type { Output } from "../output.ts";

export const TOKEN_FILE = join(STATE_FOLDER, "inspector-tokens");
const SEED_FILE = join(STATE_FOLDER, "inspector-name");

/**
 * Keeps the hashes of the inspector's tokens in the project's state folder, if there is one. A file
 * that others can write counts as empty and is replaced: a hash of theirs would let them in. If it
 * cannot be written, tabs do not survive a restart; `listen` goes on.
 */
export function tokenFile(cwd: string, output: Pick<Output, "talk">): TokenRecords {
  const path = join(cwd, TOKEN_FILE);
  let reported = false;
  return {
    read: () => tryOr(() => parse(readOwnFile(path) ?? ""), []),
    write: (records) => {
      if (!existsSync(join(cwd, STATE_FOLDER))) return;
      try {
        replaceFile(path, `${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
      } catch (thrown) {
        if (reported) return;
        reported = true;
        const cause = describeFileError(thrown);
        output.talk(
          `could not write ${TOKEN_FILE}: ${cause}. The inspector's tabs must be opened again after a restart.`,
        );
      }
    },
    seed: () => keptSeed(cwd),
  };
}

/**
 * The seed of the folder, made at the first start. A file that others can read counts as missing
 * and is replaced: its names could be guessed. If none can be kept, it is this run's alone.
 */
function keptSeed(cwd: string): string {
  const path = join(cwd, SEED_FILE);
  const read = () => tryOr(() => /^[\w-]{22}$/.exec(readOwnFile(path) ?? "")?.[0], undefined);
  const kept = read();
  if (kept !== undefined) return kept;
  const drawn = drawToken();
  if (!existsSync(join(cwd, STATE_FOLDER))) return drawn;
  try {
    // Another process may be first: then its file counts.
    if (!makeFile(path, drawn) && read() === undefined) replaceFile(path, drawn);
  } catch {}
  return read() ?? drawn;
}

/** One record a line; a damaged line is left out. */
function parse(text: string): readonly TokenRecord[] {
  return text.split("\n").flatMap((line) => {
    const value: unknown = tryOr(() => JSON.parse(line), undefined);
    if (!isRecord(value)) return [];
    const { hash, usedAt } = value;
    const fits =
      typeof hash === "string" && /^[\da-f]{64}$/.test(hash) && typeof usedAt === "number";
    return fits ? [{ hash, usedAt }] : [];
  });
}
