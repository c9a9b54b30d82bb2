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
