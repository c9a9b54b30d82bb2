/** An order that keys may have had. */
export interface KeyOrder {
  readonly name: string;
  /** Negative if the first name comes first; 0 keeps the order of both. */
  readonly compare: (one: string, other: string) => number;
}

/** The fields of the envelope and of a property, in the order of the service description ("Events", "Resources"). */
const DESCRIBED = [
  ...["event", "timestamp", "data", "webhook"],
  ...["id", "type", "address", "surface", "rooms", "purchase_price", "created_at", "owner", "name", "url"],
];
const RANKS = new Map(DESCRIBED.map((name, rank) => [name, rank]));

/** The order of most libraries that sort. */
export const ALPHABETICAL: KeyOrder = {
  name: "alphabetical",
  compare: (one, other) => (one < other ? -1 : one > other ? 1 : 0),
};

/** The key orders of libraries and of the service, most common first. */
export const KEY_ORDERS: readonly KeyOrder[] = [
  ALPHABETICAL,
  { name: "as the service describes them", compare: (one, other) => rankOf(one) - rankOf(other) },
];

function rankOf(name: string): number {
  return RANKS.get(name) ?? RANKS.size;
}

/** The order of Java's `HashMap` with up to 12 keys: that of its 16 buckets, and of the text within one. */
export const HASH_MAP: KeyOrder = {
  name: "as Java's HashMap keeps them",
  compare: (one, other) => bucketOf(one) - bucketOf(other),
};

/** The same for the envelope alone, since the maps inside it keep the order of the text. */
export const OUTER_HASH_MAP: KeyOrder = {
  name: "as Java's HashMap keeps them, outside",
  compare: (one, other) => (ENVELOPE.has(one) && ENVELOPE.has(other) ? HASH_MAP.compare(one, other) : 0),
};

const ENVELOPE = new Set(DESCRIBED.slice(0, 4));

function bucketOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(31, hash) + name.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16)) & 15;
}
