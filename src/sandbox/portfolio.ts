import { drawProperty, type ListedProperty, type Property, type PropertyDraft } from "./property.ts";

/** The sandbox's properties: the initial ones, the same for the same seed, and those created later. */
export class Portfolio {
  readonly #properties: Property[];
  readonly #seed: number;

  constructor(seed: number, count: number, now: number) {
    this.#seed = seed;
    this.#properties = Array.from({ length: count }, (_, index) => drawProperty(seed, index + 1, now));
  }

  /** Oldest first. */
  get listed(): readonly ListedProperty[] {
    return this.#properties.map(({ listed }) => listed);
  }

  /**
   * Adds a property.
   *
   * @param now - milliseconds since 1970
   */
  create(draft: PropertyDraft, now: number): Property {
    const property = drawProperty(this.#seed, this.#properties.length + 1, now, draft);
    this.#properties.push(property);
    return property;
  }
}
