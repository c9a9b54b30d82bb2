import { type BodyVariant, variant } from "./body-variant.ts";
import { type Cause, cause } from "./causes.ts";
import { ALPHABETICAL, KEY_ORDERS } from "./json-key-orders.ts";
import { printAsSpaced, printSpaced, SPACINGS } from "./json-spacing.ts";
import { ESCAPES, NUMBERS, plainTokens, spellNumbers, spellStrings } from "./json-spelling.ts";
import { type JsonTokens, sortKeys, sortMember } from "./json-tokens.ts";

/** One choice in how JSON is printed; no causes if it leaves the text unchanged. */
interface Choice<Made> {
  readonly causes: readonly Cause[];
  readonly make: Made;
}

type Tokens = readonly string[];

/** The work to print a token and a character; hashing one byte is 1. */
const TOKEN_WORK = 100;
const CHARACTER_WORK = 12;

/** Which spellings of strings and numbers to try: all of them, the common ones, or none. */
export type Spellings = "all" | "common" | "none";

/**
 * The same JSON as other libraries would print it: every combination of spacing, key order, escapes and numbers, except
 * those that change nothing.
 *
 * @param close - ways to end the text, each with its causes
 */
export function jsonVariants(
  json: JsonTokens,
  close: readonly { readonly causes: readonly Cause[]; readonly tail: string }[],
  spellings: Spellings,
  before: readonly Cause[] = [],
): readonly BodyVariant[] {
  const length = lengthOf(json);
  const work = TOKEN_WORK * json.tokens.length + CHARACTER_WORK * length;
  const limit = Math.max(4 * length, 65_536);
  const orders = ordersOf(json.tokens);
  return orders.flatMap((order) =>
    spellingsOf(order.make, order.rare ? "none" : spellings).flatMap((spelling) =>
      spacingsOf(json, order.causes.length > 0, spelling.causes.length > 0).flatMap((spacing) =>
        close.flatMap(({ causes: ending, tail }) => {
          const causes = [...before, ...spacing.causes, ...order.causes, ...spelling.causes, ...ending];
          if (causes.length === 0) return [];
          const print = () => {
            const text = spacing.make(spelling.make, limit);
            return text === undefined ? undefined : json.lead + text + tail;
          };
          return [variant(causes, print, work)];
        }),
      ),
    ),
  );
}

function lengthOf({ tokens, gaps }: JsonTokens): number {
  const count = (parts: Tokens) => parts.reduce((sum, part) => sum + part.length, 0);
  return count(tokens) + count(gaps);
}

/** An order that is rare is tried with strings and numbers as they are. */
interface OrderChoice extends Choice<Tokens> {
  readonly rare?: boolean;
}

function ordersOf(tokens: Tokens): readonly OrderChoice[] {
  const asIs: OrderChoice = { causes: [], make: tokens };
  const sorted = KEY_ORDERS.map((order): OrderChoice => {
    return { causes: [cause("json_key_order", order.name)], make: sortKeys(tokens, order) };
  });
  const data = sortMember(tokens, "data", ALPHABETICAL);
  const inData: OrderChoice[] =
    data === undefined
      ? []
      : [{ causes: [cause("json_key_order", "alphabetical in `data` alone")], make: data, rare: true }];
  return distinct([asIs, ...sorted, ...inData]);
}

function spellingsOf(tokens: Tokens, spellings: Spellings): readonly Choice<Tokens>[] {
  const asIs: Choice<Tokens> = { causes: [], make: tokens };
  if (spellings === "none") return [asIs];
  const plain = plainTokens(tokens);
  const escaped = (spellings === "all" ? ESCAPES : ESCAPES.slice(0, 2)).flatMap(({ name, spell }) => {
    const spelt = spellStrings(plain, { name, spell });
    if (isSame(spelt, tokens)) return [];
    return [{ causes: [cause("json_escapes", name)], make: spelt }];
  });
  const strings = distinct([asIs, ...escaped]);
  if (spellings === "common") return strings;
  const numbered = strings.slice(0, 3).flatMap(({ causes, make }) =>
    NUMBERS.flatMap((style) => {
      const spelt = spellNumbers(make, style);
      return isSame(spelt, make)
        ? []
        : [{ causes: [...causes, cause("json_numbers", style.name)], make: spelt }];
    }),
  );
  return [...strings, ...numbered];
}

/** Drops choices with the same result; for simple JSON there are many. */
function distinct<One extends Choice<Tokens>>(choices: readonly One[]): readonly One[] {
  return choices.filter(
    (one, index) => !choices.slice(0, index).some((other) => isSame(one.make, other.make)),
  );
}

function spacingsOf(
  json: JsonTokens,
  reordered: boolean,
  respelt: boolean,
): readonly Choice<(tokens: Tokens, limit: number) => string | undefined>[] {
  const text = printAsSpaced(json.tokens, json);
  const own = SPACINGS.find((spacing) => printSpaced(json.tokens, spacing, text.length) === text);
  const others = SPACINGS.filter((spacing) => spacing !== own && !(respelt && spacing.rare)).map(
    (spacing) => ({
      causes: [cause("json_spacing", spacing.name)],
      make: (tokens: Tokens, limit: number) => printSpaced(tokens, spacing, limit),
    }),
  );
  if (own !== undefined)
    return [{ causes: [], make: (tokens, limit) => printSpaced(tokens, own, limit) }, ...others];
  // White space that is no library's style belongs to its position, so it cannot move with a key.
  return reordered ? others : [{ causes: [], make: (tokens) => printAsSpaced(tokens, json) }, ...others];
}

function isSame(one: Tokens, other: Tokens): boolean {
  return one.every((token, index) => token === other[index]);
}
