import { formatTimestamp } from "../../event/timestamp.ts";
import { drawInteger, seededRandomAt } from "./draw.ts";

/**
 * A property as the list returns it (service description, "Property (as returned by the property
 * list)").
 */
export interface ListedProperty {
  /** `prop_<id>`. */
  readonly id: string;
  /** `apartment` in the portfolio, the only value in the description. */
  readonly type: string;
  readonly address: string;
  /** The unit is not stated. */
  readonly surface: number;
  readonly rooms: number;
  /** Currency and period are not stated. */
  readonly rent: number;
  readonly yield: number;
  /**
   * Every property has a tenant, since the description does not show a vacant one. `lease_start` is
   * `YYYY-MM-DD`.
   */
  readonly tenant: { readonly name: string; readonly lease_start: string };
}

/** `data` of the `property.created` events of a sandbox: all documented fields are there. */
export type CreatedProperty = Omit<ListedProperty, "rent" | "yield" | "tenant"> & {
  /** The currency is not stated. */
  readonly purchase_price: number;
  /** ISO 8601 UTC timestamp. */
  readonly created_at: string;
  readonly owner: { readonly id: string; readonly name: string };
};

/**
 * A property of the sandbox: the fields of the list, and those that only `property.created` has.
 */
export interface Property {
  readonly listed: ListedProperty;
  readonly created: CreatedProperty;
}

const STREETS = [
  "Sample Street",
  "Example Avenue",
  "Specimen Road",
  "Model Lane",
  "Pattern Square",
];
const TOWNS = ["75011 Paris", "69003 Lyon", "13006 Marseille", "33000 Bordeaux", "44000 Nantes"];
const DAY = 24 * 60 * 60_000;

/**
 * Leases in the portfolio begin after this day, so that a seed makes the same ones in every year.
 */
const FIRST_LEASE = Date.UTC(2020, 0, 1);

/**
 * Creates the property with a number; the same seed makes the same property. Its values are
 * invented, within the documented fields.
 *
 * @param createdAt - milliseconds since 1970
 */
export function drawProperty(seed: number, number: number, createdAt: number): Property {
  const random = seededRandomAt(seed, number);
  const name = String(number).padStart(4, "0");
  const rooms = drawInteger(random, 1, 6);
  const surface = drawInteger(random, 16, 28) * rooms + drawInteger(random, 0, 1) / 2;
  const price = drawInteger(random, 30, 90) * 100 * Math.round(surface);
  const rent = Math.round((price * (0.03 + random() * 0.04)) / 12);
  const address = `${drawInteger(random, 1, 120)} ${pick(STREETS, random)}, ${pick(TOWNS, random)}`;
  const lease = formatTimestamp(FIRST_LEASE + drawInteger(random, 0, 1800) * DAY).slice(0, 10);
  const owner = { id: "user_sandbox_0001", name: "Sandbox Owner" };
  const shared = { id: `prop_sandbox_${name}`, type: "apartment", address, surface, rooms };
  const created = {
    ...shared,
    purchase_price: price,
    created_at: formatTimestamp(createdAt),
    owner,
  };
  const listed = {
    ...shared,
    rent,
    yield: Math.round((rent * 12 * 10_000) / price) / 100,
    tenant: { name: `Sample Tenant ${name}`, lease_start: lease },
  };
  return { listed, created };
}

function pick(words: readonly string[], random: () => number): string {
  return words[drawInteger(random, 0, words.length - 1)] ?? "";
}
