import { type BodyVariant, variant } from "./body-variant.ts";
import { type Cause, cause } from "./causes.ts";
import { KEY_ORDERS, OUTER_ALPHABETICAL } from "./json-key-orders.ts";
import { type Choice, libraryChoices } from "./json-library-variants.ts";
import { distinctNumbers } from "./json-numbers.ts";
import { someObjects, withEmpty, withoutNulls } from "./json-reshape.ts";
import {
  printSpaced,
  printWithOriginalSpacing,
  SPACING_LIST,
  type Spacing,
  spacingOf,
} from "./json-spacing.ts";
import { ESCAPES, plainTokens, spellNumbers, spellStrings } from "./json-spelling.ts";
import { isSame, type JsonTokens, sortKeys } from "./json-tokens.ts";

/** A way to end the text, with its causes. */
interface Ending {
  readonly causes: readonly Cause[];
  readonly tail: string;
}

type Tokens = readonly string[];

/** The styles of numbers that are combined freely with others. */
const FREE_NUMBERS = 2;

/** The number of libraries tried in large bodies. */
export const COMMON = 20;

/** What to try: every combination of styles, or only what the most common libraries print. */
export type Extent = "all" | "libraries";

/**
 * The same JSON as other libraries would print it: every combination of spacing, key order, escapes
 * and numbers, except those that change nothing, and all of it as each library prints it.
 *
 * @param close - ways to end the text, each with its causes
 */
export function jsonVariants(
  json: JsonTokens,
  close: readonly Ending[],
  extent: Extent,
  before: readonly Cause[] = [],
): readonly BodyVariant[] {
  const length = lengthOf(json);
  const limit = Math.max(4 * length, 65_536);
  const own = spacingOf(json);
  const most = extent === "libraries" ? COMMON : Number.POSITIVE_INFINITY;
  const ended = (causes: readonly Cause[], make: () => string | undefined) =>
    close.flatMap(({ causes: ending, tail }) => {
      if (causes.length + ending.length === 0) return [];
      const print = () => {
        const text = make();
        return text === undefined ? undefined : json.lead + text + tail;
      };
      return [variant([...causes, ...ending], print, "printed")];
    });
  const whole = () =>
    libraryChoices(json.tokens, own, { limit, most }).flatMap(({ causes, make }) =>
      ended([...before, ...causes], make),
    );
  if (extent === "libraries") return distinctCauses(whole(), new Set());
  const free = ordersOf(json.tokens).flatMap((order) =>
    spellingsOf(order.make, order.rare).flatMap((spelling) =>
      spacingsOf(json, own, order.causes.length > 0).flatMap((spacing) => {
        const causes = [...before, ...spacing.causes, ...order.causes, ...spelling.causes];
        return ended(causes, () => spacing.make(spelling.make, limit));
      }),
    ),
  );
  return [...free, ...distinctCauses(whole(), new Set(free.map(({ causes }) => keyOf(causes))))];
}

/** For libraries, the same causes make the same text. */
function distinctCauses(
  variants: readonly BodyVariant[],
  known: Set<string>,
): readonly BodyVariant[] {
  return variants.filter(({ causes }) => {
    const key = keyOf(causes);
    return !known.has(key) && known.add(key);
  });
}

function keyOf(causes: readonly Cause[]): string {
  return causes.map(({ code, detail }) => `${code} ${detail}`).join();
}

function lengthOf({ tokens, gaps }: JsonTokens): number {
  const count = (parts: Tokens) => parts.reduce((sum, part) => sum + part.length, 0);
  return count(tokens) + count(gaps);
}

/**
 * An order that is rare is tried with strings as they are and without escapes, and with numbers as
 * they are.
 */
interface OrderChoice extends Choice<Tokens> {
  readonly rare?: boolean;
}

/** The tokens in other orders, and without what some libraries lose. */
function ordersOf(tokens: Tokens): readonly OrderChoice[] {
  const asIs: OrderChoice = { causes: [], make: tokens };
  const sorted = KEY_ORDERS.map((order): OrderChoice => {
    return { causes: [cause("json_key_order", order.name)], make: sortKeys(tokens, order) };
  });
  const rare = (causes: readonly Cause[], make: Tokens): OrderChoice => ({
    causes,
    make,
    rare: true,
  });
  return distinct([
    asIs,
    ...sorted,
    rare([cause("json_key_order", OUTER_ALPHABETICAL.name)], sortKeys(tokens, OUTER_ALPHABETICAL)),
    rare([cause("json_nulls")], withoutNulls(tokens)),
    rare([cause("json_empty_objects", "`[]` on the signing side")], withEmpty(tokens, "[]")),
    ...someObjects(tokens).map((made) =>
      rare([cause("json_empty_objects", "`[]` on this side")], made),
    ),
  ]);
}

function spellingsOf(tokens: Tokens, isRare = false): readonly Choice<Tokens>[] {
  const asIs: Choice<Tokens> = { causes: [], make: tokens };
  const plain = plainTokens(tokens);
  if (isRare)
    return distinct([asIs, { causes: [cause("json_escapes", ESCAPES.none.name)], make: plain }]);
  const escaped = Object.values(ESCAPES).flatMap((style) => {
    const spelt = spellStrings(plain, style);
    return isSame(spelt, tokens)
      ? []
      : [{ causes: [cause("json_escapes", style.name)], make: spelt }];
  });
  const strings = distinct([asIs, ...escaped]);
  const numbers = distinctNumbers(tokens).slice(0, FREE_NUMBERS);
  const numbered = strings.slice(0, 3).flatMap(({ causes, make }) =>
    numbers.map((style) => ({
      causes: [...causes, cause("json_numbers", style.name)],
      make: spellNumbers(make, style),
    })),
  );
  return [...strings, ...numbered];
}

/** Drops choices with the same result; for simple JSON there are many. */
function distinct<One extends Choice<Tokens>>(choices: readonly One[]): readonly One[] {
  return choices.filter(
    (choice, index) => !choices.slice(0, index).some((other) => isSame(choice.make, other.make)),
  );
}

function spacingsOf(
  json: JsonTokens,
  own: Spacing | undefined,
  reordered: boolean,
): readonly Choice<(tokens: Tokens, limit: number) => string | undefined>[] {
  const others = SPACING_LIST.filter((spacing) => spacing !== own).map((spacing) => ({
    causes: [cause("json_spacing", spacing.name)],
    make: (tokens: Tokens, limit: number) => printSpaced(tokens, spacing, limit),
  }));
  if (own !== undefined)
    return [{ causes: [], make: (tokens, limit) => printSpaced(tokens, own, limit) }, ...others];
  // White space that is no library's style belongs to its position, so it cannot move with a key.
  return reordered
    ? others
    : [{ causes: [], make: (tokens) => printWithOriginalSpacing(tokens, json) }, ...others];
}
