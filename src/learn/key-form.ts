import { formatsOf } from "./text-format.ts";

/** Names of fields are shorter; a longer key is a text that somebody wrote. */
const LONGEST_NAME = 60;
/** In any script, with a digit or two before, such as `2nd_phone`, or a few words, such as `code postal`. */
const NAME = /^\d{0,2}[\p{ID_Start}_$@][\p{ID_Continue}\p{Sc}.:-]*(?: [\p{ID_Continue}\p{Sc}.:-]+){0,3}$/u;

/**
 * Whether a key looks like the name of a field. A number, an id, a date, an address or a sentence does not: an object with
 * such keys is a map, and its keys are values, which are never written anywhere. Nor is a
 * key that every object inherits (`constructor`, `__proto__`), as a schema would find the inherited value if it is absent.
 */
export function looksLikeName(key: string): boolean {
  if (key in Object.prototype || key.length > LONGEST_NAME || !NAME.test(key) || /^[0-9a-f]{16,}$/i.test(key))
    return false;
  return formatsOf(key).length === 0;
}
