import { type Cause, cause } from "./causes.ts";
import type { KeyOrder } from "./json-key-orders.ts";
import { LIBRARIES, type Library, respelt } from "./json-libraries.ts";
import { distinctNumbers } from "./json-numbers.ts";
import { withEmpty, withoutNulls } from "./json-reshape.ts";
import { printSpaced, type Spacing } from "./json-spacing.ts";
import { plainTokens, type Spelling } from "./json-spelling.ts";
import { isSame, sortKeys } from "./json-tokens.ts";

/** One choice in how JSON is printed; no causes if it leaves the text unchanged. */
export interface Choice<Made> {
  readonly causes: readonly Cause[];
  readonly make: Made;
}

/**
 * The same JSON as each of the `most` common libraries prints it as a whole; `undefined` if that is
 * longer than `limit`.
 */
export function libraryChoices(
  tokens: readonly string[],
  own: Spacing | undefined,
  { limit, most }: { readonly limit: number; readonly most: number },
): readonly Choice<() => string | undefined>[] {
  const libraries = LIBRARIES.slice(0, most);
  const { ordered, causesOf } = compared(tokens, libraries);
  return libraries.map((library) => {
    const { spacing, order } = library;
    const spaced = spacing === own ? [] : [cause("json_spacing", spacing.name)];
    const make = () => printSpaced(respelt(ordered(order), library), spacing, limit);
    return { causes: [...spaced, ...causesOf(library)], make };
  });
}

function compared(tokens: readonly string[], libraries: readonly Library[]) {
  const plain = plainTokens(tokens);
  const ordered = remembered((order: KeyOrder | undefined) =>
    order === undefined ? plain : sortKeys(plain, order),
  );
  const orderCause = remembered((order: KeyOrder | undefined) =>
    order === undefined || isSame(ordered(order), plain)
      ? []
      : [cause("json_key_order", order.name)],
  );
  const stringsCause = remembered((style: Spelling) => {
    const same = tokens.every(
      (token, at) => !token.startsWith('"') || style.spell(plain[at] ?? "") === token,
    );
    return same ? [] : [cause("json_escapes", style.name)];
  });
  const numbers = tokens.filter((token) => /^[-\d]/.test(token));
  const styles = distinctNumbers(
    tokens,
    libraries.flatMap((library) => library.numbers ?? []),
  );
  const numbersCause = remembered((style: Spelling | undefined) => {
    const spelt = style === undefined ? undefined : numbers.map(style.spell).join();
    const shown = styles.find((style) => style.spelt.join() === spelt);
    return shown === undefined ? [] : [cause("json_numbers", shown.name)];
  });
  const lost = {
    nulls: isSame(withoutNulls(tokens), tokens) ? [] : [cause("json_nulls")],
    objects: isSame(withEmpty(tokens, "[]"), tokens)
      ? []
      : [cause("json_empty_objects", "`[]` on the signing side")],
  };
  const causesOf = ({ strings, numbers: style, order, loses }: Library): readonly Cause[] => [
    ...orderCause(order),
    ...stringsCause(strings),
    ...numbersCause(style),
    ...(loses === undefined ? [] : lost[loses]),
  ];
  return { ordered, causesOf };
}

/** Computes the result for each argument once, since many libraries have the same style. */
function remembered<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = new Map<Argument, Result>();
  return (argument) => {
    if (!results.has(argument)) results.set(argument, compute(argument));
    return results.get(argument) as Result;
  };
}
