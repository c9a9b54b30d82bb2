import { existsSync } from "node:fs";
import { dirname, isAbsolute, parse, resolve } from "node:path";
import { shownUrl } from "../base/text/shown-url.ts";

/** Shorter texts are not keys, and would be found inside other words. */
const SHORTEST = 6;
/** Longer texts are never repeated in a message. */
const LONGEST = 60;
/** A word or a number; generated keys mix letters, cases and digits. */
const WORD = /^(?:[A-Z]?[a-z]{0,16}|[A-Z]{1,4}|\d{1,6}[a-z]{0,2})$/;
const BETWEEN_WORDS = /[-_./\\:,*=%+ #~]+/;
/** `HOOKPORTER_SECRET`, `S3_KEY_2`: short upper-case words joined by "_". */
const VARIABLE = /^[A-Z]{1,15}\d{0,2}(?:_(?:[A-Z]{1,15}\d{0,2}|\d{1,2}))*$/;
/** The ids of the service and of this program: they identify something, but give no access. */
const IDENTIFIER = /^(?:evt|wh|prop)_/;
/** How keys begin, and words in the names that people give to keys. */
const KEY = /(?:^|[^a-z])(?:whsec|sk|pk|rk)[_-]|secret|token|passw|api.?key/i;
/** Digits and letters, as many as short keys have. */
const SOLID = /^[a-z0-9]{16,}$/i;
/** Letters and digits, as many as generated text has and words do not. */
const LONG_RUN = /[\w+=-]{20,}/g;

/**
 * The form in which a message may show a given value. A secret pasted in the wrong place must not
 * be repeated, so only values that cannot be a generated key are shown: words, numbers, ids, file
 * names, and URLs without their credentials.
 */
export function shownValue(text: string, cwd: string): string {
  if (text.length < SHORTEST || isVariableName(text) || IDENTIFIER.test(text)) return text;
  if (/^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text)) {
    const shown = shownUrl(text);
    return KEY.test(shown) || holdsGenerated(shown) ? hidden(text) : shown;
  }
  if (isFileName(text) || isInAFolder(text, cwd)) return text;
  const words =
    text.length <= LONGEST && text.split(BETWEEN_WORDS).every((part) => WORD.test(part));
  return words && !KEY.test(text) ? text : hidden(text);
}

/**
 * The form in which a message may show a variable's name. A key in hex or base64url can be a valid
 * name, so only a conventional name is shown: upper-case words joined by "_", each of at most 15
 * letters, with digits only at its end.
 */
export function shownVariable(name: string): string {
  return isVariableName(name) ? name : hidden(name);
}

/** Whether a text has the conventional form of a variable's name, which no generated key has. */
export function isVariableName(text: string): boolean {
  return VARIABLE.test(text) && text.length <= LONGEST;
}

/**
 * Whether a text that could be a name is more likely a key. Names of headers and hosts are shown
 * once they are accepted, so such a text is refused.
 */
export function looksLikeKey(text: string): boolean {
  return /^(?:whsec|sk|pk|rk)_/i.test(text) || text.split(/[-_.:]/).some(isMixed);
}

/** Longer than any word, or digits and letters that alternate several times. */
function isMixed(part: string): boolean {
  if (!SOLID.test(part)) return false;
  return part.length >= 24 || (part.match(/\d[a-z]/gi) ?? []).length >= 2;
}

/** Whether a part of a text is longer and more mixed than words are. */
function holdsGenerated(text: string): boolean {
  const runs = text.match(LONG_RUN) ?? [];
  return (
    runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run)) ||
    text.split(/[^A-Za-z0-9]/).some((part) => part.length >= 32)
  );
}

/** The replacement for a value that a message must not show. */
export function hidden(text: string): string {
  return `[${[...text].length} characters, hidden]`;
}

/** A name with an extension. In a generated key, the part after the last dot is longer. */
function isFileName(text: string): boolean {
  return /^\S*[^\s.]\.[a-z][a-z0-9]{0,5}$/.test(text);
}

/** Whether a path exists, or is inside an existing folder other than the root. */
function isInAFolder(text: string, cwd: string): boolean {
  if (text.includes("\0") || text.length > 4096) return false;
  if (cwd === "" && !isAbsolute(text)) return false; // the working folder was removed
  const path = resolve(cwd, text);
  const folder = dirname(path);
  const named = dirname(text) !== "." && folder !== parse(path).root;
  return existsSync(path) || (named && existsSync(folder));
}
