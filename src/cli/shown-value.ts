import { existsSync } from "node:fs";
import { dirname, parse, resolve } from "node:path";
import { shownUrl } from "../shown-url.ts";

/** Shorter texts are no keys, and would be found in the middle of other words. */
const SHORTEST = 6;
/** Longer ones need not come back in a message, whatever they are. */
const LONGEST = 60;
/** A word or a number; generated keys mix letters, cases and digits. */
const WORD = /^(?:[A-Z]?[a-z]{0,16}|[A-Z]{1,4}|\d{1,6}[a-z]{0,2})$/;
const BETWEEN_WORDS = /[-_./\\:,*=%+ #~]+/;
/** `HOOKPORTER_SECRET`, `S3_KEY_2`: short words of upper case letters with "_" between. */
const VARIABLE = /^[A-Z]{1,15}\d{0,2}(?:_(?:[A-Z]{1,15}\d{0,2}|\d{1,2}))*$/;
/** The ids of the service and of this program: they name something, and open nothing. */
const IDENTIFIER = /^(?:evt|wh|prop)_/;
/** What keys begin with, and what people call theirs. */
const KEY = /(?:^|[^a-z])(?:whsec|sk|pk|rk)[_-]|secret|token|passw|api.?key/i;
/** As long as no word is, or a word of several digits and letters in turn. */
const MIXED = /^(?=(?:.*\d[a-z]+){2})[a-z0-9]{16,}$|^[a-z0-9]{24,}$/i;
/** Text that is longer and more mixed than words are. */
const GENERATED = /(?=[\w+=-]*\d)(?=[\w+=-]*[A-Za-z])[\w+=-]{20,}|[A-Za-z0-9]{32,}/;

/**
 * A value that was given, as a message may show it. A secret pasted in the wrong place must not come back, so only what
 * cannot be a generated key is shown: words, numbers, ids, names of files, and URLs without their credentials.
 */
export function shownValue(text: string, cwd: string): string {
  if (text.length < SHORTEST || isVariableName(text) || IDENTIFIER.test(text)) return text;
  if (/^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text)) {
    const shown = shownUrl(text);
    return KEY.test(shown) || GENERATED.test(shown) ? hidden(text) : shown;
  }
  if (isFileName(text) || isInAFolder(text, cwd)) return text;
  const words = text.length <= LONGEST && text.split(BETWEEN_WORDS).every((part) => WORD.test(part));
  return words && !KEY.test(text) ? text : hidden(text);
}

/**
 * The name of an environment variable, as a message may show it. A key in hex or base64url can be a good name too, so
 * only a name by convention is shown: upper case words with "_" between them, none longer than 15 letters, digits
 * only at their ends.
 */
export function shownVariable(name: string): string {
  return isVariableName(name) ? name : hidden(name);
}

/** Whether a text has the form that names of variables have by convention, and no generated key has. */
export function isVariableName(text: string): boolean {
  return VARIABLE.test(text) && text.length <= LONGEST;
}

/**
 * Whether a text that could be a name is more likely a key. Names of headers and hosts are shown once they are taken, so
 * they are refused then.
 */
export function looksLikeKey(text: string): boolean {
  return /^(?:whsec|sk|pk|rk)_/i.test(text) || text.split(/[-_.:]/).some((part) => MIXED.test(part));
}

/** What a message has in place of a value that it does not show. */
export function hidden(text: string): string {
  return `[${[...text].length} characters, hidden]`;
}

/** A name with an extension: what stands behind the last dot of a generated key is longer. */
function isFileName(text: string): boolean {
  return /^\S*[^\s.]\.[a-z][a-z0-9]{0,5}$/.test(text);
}

/** A path to something that is there, or that a folder below the root could hold. */
function isInAFolder(text: string, cwd: string): boolean {
  if (text.includes("\0") || text.length > 4096) return false;
  const path = resolve(cwd, text);
  const folder = dirname(path);
  const named = dirname(text) !== "." && folder !== parse(path).root;
  return existsSync(path) || (named && existsSync(folder));
}
