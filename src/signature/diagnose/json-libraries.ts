import { ALPHABETICAL, HASH_MAP, type KeyOrder, SHORTER_FIRST } from "./json-key-orders.ts";
import { NUMBERS } from "./json-numbers.ts";
import { SPACING, type Spacing } from "./json-spacing.ts";
import { ESCAPES, RARE_ESCAPES, type Spelling } from "./json-spelling.ts";

/** How a library prints JSON that it has parsed. */
export interface Library {
  readonly spacing: Spacing;
  readonly strings: Spelling;
  readonly numbers?: Spelling;
  readonly order?: KeyOrder;
  /** Whether it leaves out members that are `null`, or prints `{}` as `[]`. */
  readonly loses?: "nulls" | "objects";
}

const { compact, two, four, oneLine, ruby, jackson, twoOnWindows, perl } = SPACING;
const { none, ascii, slash, asciiAndSlash, html, gson, upperCase, net } = ESCAPES;
const order = ALPHABETICAL;

/**
 * Libraries in their usual settings, most common first. All the rest of the search combines styles freely, but only in
 * small bodies and without rare ones; these are tried in large bodies, too.
 */
export const LIBRARIES: readonly Library[] = [
  { spacing: oneLine, strings: ascii, numbers: NUMBERS.python },
  { spacing: compact, strings: none, numbers: NUMBERS.javascript },
  { spacing: compact, strings: asciiAndSlash, numbers: NUMBERS.php },
  { spacing: compact, strings: html, numbers: NUMBERS.go, order },
  { spacing: compact, strings: none, numbers: NUMBERS.ruby },
  { spacing: compact, strings: none, numbers: NUMBERS.java },
  { spacing: compact, strings: gson, numbers: NUMBERS.gson, loses: "nulls" },
  { spacing: compact, strings: net },
  { spacing: oneLine, strings: none, numbers: NUMBERS.python },
  { spacing: compact, strings: ascii, numbers: NUMBERS.python },
  { spacing: two, strings: none, numbers: NUMBERS.javascript },
  { spacing: oneLine, strings: ascii, numbers: NUMBERS.python, order },
  { spacing: compact, strings: ascii, numbers: NUMBERS.python, order },
  { spacing: compact, strings: none, numbers: NUMBERS.python, order },
  { spacing: compact, strings: html, numbers: NUMBERS.ruby },
  { spacing: compact, strings: gson, loses: "nulls" },
  { spacing: oneLine, strings: none, numbers: NUMBERS.postgres, order: SHORTER_FIRST },
  { spacing: compact, strings: asciiAndSlash, numbers: NUMBERS.php, loses: "objects" },
  { spacing: compact, strings: none, numbers: NUMBERS.php, loses: "objects" },
  { spacing: compact, strings: slash, numbers: NUMBERS.php },
  { spacing: compact, strings: none, numbers: NUMBERS.php },
  { spacing: compact, strings: ascii, numbers: NUMBERS.php },
  { spacing: compact, strings: asciiAndSlash, numbers: NUMBERS.phpFraction },
  { spacing: compact, strings: asciiAndSlash, numbers: NUMBERS.php7 },
  { spacing: compact, strings: RARE_ESCAPES.symfony, numbers: NUMBERS.php },
  { spacing: four, strings: asciiAndSlash, numbers: NUMBERS.php },
  { spacing: four, strings: none, numbers: NUMBERS.php },
  { spacing: compact, strings: none, numbers: NUMBERS.rust },
  { spacing: compact, strings: none, numbers: NUMBERS.rust, order },
  { spacing: two, strings: none, numbers: NUMBERS.rust },
  { spacing: compact, strings: none, numbers: NUMBERS.jq },
  { spacing: compact, strings: none, numbers: NUMBERS.jq, order },
  { spacing: two, strings: none, numbers: NUMBERS.jq },
  { spacing: two, strings: none, numbers: NUMBERS.ruby },
  { spacing: ruby, strings: none, numbers: NUMBERS.ruby },
  { spacing: compact, strings: ascii, numbers: NUMBERS.ruby },
  { spacing: compact, strings: slash, numbers: NUMBERS.ruby },
  { spacing: compact, strings: none, numbers: NUMBERS.java, order },
  { spacing: jackson, strings: none, numbers: NUMBERS.java },
  { spacing: compact, strings: upperCase, numbers: NUMBERS.java },
  { spacing: compact, strings: gson, numbers: NUMBERS.gson },
  { spacing: compact, strings: none, numbers: NUMBERS.gson, loses: "nulls" },
  { spacing: two, strings: gson, numbers: NUMBERS.gson, loses: "nulls" },
  { spacing: two, strings: gson, loses: "nulls" },
  { spacing: compact, strings: RARE_ESCAPES.jsonSimple, numbers: NUMBERS.java, order: HASH_MAP },
  { spacing: compact, strings: RARE_ESCAPES.jsonSimple, numbers: NUMBERS.bigDecimal, order: HASH_MAP },
  { spacing: compact, strings: none, numbers: NUMBERS.bigDecimal },
  { spacing: compact, strings: none, numbers: NUMBERS.java, order: HASH_MAP },
  { spacing: compact, strings: none, numbers: NUMBERS.newtonsoft },
  { spacing: compact, strings: net, numbers: NUMBERS.net },
  { spacing: compact, strings: net, numbers: NUMBERS.net, loses: "nulls" },
  { spacing: twoOnWindows, strings: net, numbers: NUMBERS.net },
  { spacing: twoOnWindows, strings: none, numbers: NUMBERS.newtonsoft },
  { spacing: two, strings: net, numbers: NUMBERS.net },
  { spacing: compact, strings: none, numbers: NUMBERS.go, order },
  { spacing: two, strings: html, numbers: NUMBERS.go, order },
  { spacing: compact, strings: html, numbers: NUMBERS.go },
  { spacing: compact, strings: none, numbers: NUMBERS.perl, order },
  { spacing: compact, strings: ascii, numbers: NUMBERS.perl, order },
  { spacing: perl, strings: none, numbers: NUMBERS.perl, order },
];
