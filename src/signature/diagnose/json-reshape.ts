/** Returns the tokens without the members whose value is `null`. */
export function withoutNulls(tokens: readonly string[]): readonly string[] {
  if (!tokens.includes("null")) return tokens;
  const kept: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const isMember = tokens[at + 1] === ":" && tokens[at + 2] === "null";
    if (!isMember) {
      const token = tokens[at] ?? "";
      // The comma before or after a member that was left out.
      if (token === "," && kept.at(-1) === "{") continue;
      if (token === "}" && kept.at(-1) === ",") kept.pop();
      if (token === "," && kept.at(-1) === ",") continue;
      kept.push(token);
    } else at += 2;
  }
  return kept;
}

/** Returns the tokens with each `{}` as `[]`, or the other way round. */
export function withEmpty(tokens: readonly string[], wanted: "{}" | "[]"): readonly string[] {
  const [open = "", close = ""] = wanted;
  const [otherOpen, otherClose] = wanted === "{}" ? "[]" : "{}";
  const made = [...tokens];
  for (let at = 0; at + 1 < made.length; at++) {
    if (made[at] === otherOpen && made[at + 1] === otherClose) made.splice(at, 2, open, close);
  }
  return made;
}

/** More empty lists than this are all taken for objects. */
const MOST_LISTS = 4;

/**
 * Returns the tokens with some `[]` as `{}`: PHP prints both in the same way, so each of them may
 * have been either.
 */
export function someObjects(tokens: readonly string[]): readonly (readonly string[])[] {
  const at = tokens.flatMap((token, index) =>
    token === "[" && tokens[index + 1] === "]" ? [index] : [],
  );
  if (at.length === 0) return [];
  if (at.length > MOST_LISTS) return [withEmpty(tokens, "{}")];
  return Array.from({ length: 2 ** at.length - 1 }, (_, subset) => {
    const made = [...tokens];
    at.forEach((index, bit) => {
      if (((subset + 1) >> bit) % 2 === 1) made.splice(index, 2, "{", "}");
    });
    return made;
  });
}
