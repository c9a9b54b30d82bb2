import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { ConfigurationError } from "../base/errors.ts";
import { isPostgresUrl } from "./postgres/postgres-url.ts";

/** What begins like a URL. One letter is a drive of Windows. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;
/** What a shell or the reader of an env file replaces: `${X}`, `$(…)`, `$X`, `%X%`. */
const REFERENCE = /\$[{(A-Za-z_]|%[A-Za-z_]\w*%/;

/**
 * Checks the text that names an inbox: a path that a person would mean, a `postgres://` URL or
 * `memory:`. Other tools spell paths as URLs, and a text that a shell should have replaced is a
 * path too: a new, empty inbox would be made there.
 *
 * @param folder - what a relative path begins at
 * @throws ConfigurationError `inbox_unsupported`
 */
export function checkInboxName(text: string, folder: string = process.cwd()): void {
  if (text === "memory:" || isPostgresUrl(text)) return;
  const [, scheme] = SCHEME.exec(text) ?? [];
  if (text.trim() === "")
    throw unsupported(text === "" ? "an empty string" : "only white space", A_FILE);
  if (basename(text) === ":memory:") throw unsupported('":memory:"', "remove the first colon");
  if (scheme !== undefined)
    throw unsupported(`a ${scheme.toLowerCase()} URL`, insteadOf(text, scheme.toLowerCase()));
  if (/^(["']).*\1$/s.test(text)) throw unsupported("a text in quotes", "remove them");
  if (/^~[^/\\]*[/\\]/.test(text)) throw unsupported("a path that begins with ~", UNEXPANDED);
  if (hasReference(text, folder)) throw unsupported("a path with a variable in it", UNEXPANDED);
}

const A_FILE = "name a file, such as hookporter.db";
const UNEXPANDED = "nothing replaces that here, so write the whole path";

function unsupported(got: string, fix: string): ConfigurationError {
  return new ConfigurationError(
    "inbox_unsupported",
    `expected an inbox as a file path, a postgres:// URL or "memory:", got ${got}: ${fix}`,
  );
}

/** What to write in place of a URL: never a part of one that may hold a password. */
function insteadOf(text: string, scheme: string): string {
  if (scheme === "memory") return 'write "memory:"';
  if (scheme === "postgres" || scheme === "postgresql")
    return `write ${scheme}://user:password@host/database`;
  const [path = ""] = text.slice(scheme.length + 1).split(/[?#]/);
  if (path === ":memory:") return 'write "memory:"';
  const isPath = /^(?:file|sqlite3?)$/.test(scheme) && /^(?:\/{3})?(?!\/)[^@]+$/.test(path);
  return isPath ? `write ${path.replace(/^\/\/\//, "/")}` : A_FILE;
}

/** Whether a path has a variable in it. A folder or file that exists has its name. */
function hasReference(path: string, folder: string): boolean {
  const found = REFERENCE.exec(path);
  if (found === null) return false;
  const rest = path.slice(found.index);
  const part = path.slice(0, found.index) + (/^[^/\\]*/.exec(rest)?.[0] ?? "");
  if (!existsSync(resolve(folder, part))) return true;
  return hasReference(path.slice(part.length).replace(/^[/\\]+/, ""), resolve(folder, part));
}
