/** An item's place in a {@link Chain}. */
export interface Link<Item extends object> {
  readonly item: Item | undefined;
}

interface OwnLink<Item extends object> extends Link<Item> {
  item: Item | undefined;
  before: OwnLink<Item> | undefined;
  after: OwnLink<Item> | undefined;
}

/**
 * Items in the order in which they were added, for what comes and goes all the time. A `Set` or
 * `Map` is copied every now and then when items are deleted, and V8 has each copy refer to the next
 * one. Once one of them is in the old generation, all that was ever deleted is kept until the next
 * full garbage collection. A link that was removed refers to nothing.
 */
export class Chain<Item extends object> {
  #first: OwnLink<Item> | undefined;
  #last: OwnLink<Item> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  get first(): Link<Item> | undefined {
    return this.#first;
  }

  add(item: Item): Link<Item> {
    const link: OwnLink<Item> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    return link;
  }

  /** Removes a link; returns `false` if it was removed before. Only for links of this chain. */
  remove(link: Link<Item>): boolean {
    const own = link as OwnLink<Item>;
    if (own.item === undefined) return false;
    const { before, after } = own;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    own.item = own.before = own.after = undefined;
    return true;
  }

  items(): readonly Item[] {
    const items: Item[] = [];
    for (let link = this.#first; link?.item !== undefined; link = link.after) items.push(link.item);
    return items;
  }
}
