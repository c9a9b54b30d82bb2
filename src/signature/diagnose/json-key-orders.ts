export interface KeyOrder {
  readonly name: string;
  /**
   * Compares two names of an object with these names. Negative if the first comes first; 0 keeps
   * the order of both.
   */
  readonly comparing: (names: readonly string[]) => (one: string, other: string) => number;
}

/**
 * The fields of the envelope and of a property, in the order of the service description ("Events",
 * "Resources").
 */
const DESCRIBED =
  "event timestamp data webhook id type address surface rooms purchase_price created_at owner name url";
const RANKS = new Map(DESCRIBED.split(" ").map((name, rank) => [name, rank]));

const alphabetically = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The order of most libraries that sort. */
export const ALPHABETICAL: KeyOrder = { name: "alphabetical", comparing: () => alphabetically };

/** The order of `jsonb` in PostgreSQL and of JSON in MySQL. */
export const SHORTER_FIRST: KeyOrder = {
  name: "shorter keys first, as databases store them",
  comparing: () => (a, b) => {
    return Buffer.byteLength(a) - Buffer.byteLength(b) || alphabetically(a, b);
  },
};

/** The order of `HashMap` in Java, which json-simple and org.json use. */
export const HASH_MAP: KeyOrder = {
  name: "that of a Java HashMap",
  comparing: (names) => {
    let size = 16;
    while (names.length > size * 0.75) size *= 2;
    const slots = new Map(names.map((name) => [name, slotOf(name, size)]));
    return (a, b) => (slots.get(a) ?? 0) - (slots.get(b) ?? 0);
  },
};

/** The same for the envelope alone, since the maps inside it keep the order of the text. */
export const OUTER_HASH_MAP: KeyOrder = {
  name: "that of a Java HashMap, outside",
  comparing: (names) => (names.includes("webhook") ? HASH_MAP.comparing(names) : () => 0),
};

/** The order of a sort of the envelope alone, as PHP's `ksort` makes it. */
export const OUTER_ALPHABETICAL: KeyOrder = {
  name: "alphabetical outside alone",
  comparing: (names) => (names.includes("webhook") ? alphabetically : () => 0),
};

/** The key orders of libraries and of the service, most common first. */
export const KEY_ORDERS: readonly KeyOrder[] = [
  ALPHABETICAL,
  {
    name: "as the service describes them",
    comparing: () => (a, b) => rankOf(a) - rankOf(b),
  },
  SHORTER_FIRST,
];

function rankOf(name: string): number {
  return RANKS.get(name) ?? RANKS.size;
}

/** The place of a name in a table of this size, a power of two. */
function slotOf(name: string, size: number): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(31, hash) + name.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16)) & (size - 1);
}
