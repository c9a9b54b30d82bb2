import { invalidPage, type ListedItem, type Page } from "./page.ts";
import type { ServiceError } from "./service-error.ts";

/** A list may grow while it is read, but not to more than twice its first total and this. */
const MAX_GROWTH = 1000;

/**
 * Follows the pages of a list, so that an incomplete list is not taken for a complete one, and one without an end is left:
 * compares the number of items with `meta.total`, and the ids of a page with those of the page before.
 */
export class Paging {
  readonly #label: string;
  readonly #asked: number | undefined;
  #start: { readonly total: number; readonly before: number } | undefined;
  #ids = "";
  #total = 0;
  #seen = 0;
  #pages = 0;

  /** @param asked - the page to begin with; `undefined` for the service's first one */
  constructor(label: string, asked: number | undefined) {
    this.#label = label;
    this.#asked = asked;
  }

  /** How far it came, such as ` after 50 of 250 properties in 2 pages`; empty before the first page. */
  get after(): string {
    if (this.#pages === 0) return "";
    const pages = this.#pages === 1 ? "1 page" : `${this.#pages} pages`;
    return ` after ${this.#seen} of ${this.#expected} properties in ${pages}`;
  }

  /**
   * Takes a page. Returns the number of the next one; `undefined` if this was the last. Throws ServiceError
   * `service_answer_invalid` if the list is incomplete, repeated or without an end.
   */
  take({ data, meta }: Page<ListedItem<unknown>>): number | undefined {
    const { page, per_page: perPage, total } = meta;
    // Whether pages count from 0 or 1 is not shown. It matters only if the list is begun with another page: 1 is assumed.
    const before = this.#asked === undefined ? 0 : Math.max(0, page - 1) * perPage;
    this.#start ??= { total, before };
    this.#total = total;
    const ids = JSON.stringify(data.map(idOf));
    if (data.length > 0 && ids === this.#ids && !ids.includes("null"))
      throw this.#invalid(
        `expected other properties on page ${page}, got those of the page before again${this.after}`,
        "check the page parameter (assumptions.pageParameter, --page-parameter), or try again if properties were added meanwhile",
      );
    this.#ids = ids;
    if (data.length === 0 && this.#seen < this.#expected)
      throw this.#invalid(
        `expected ${this.#expected} properties, as meta.total says, got an empty page ${page}${this.after}`,
        "the list is incomplete: request smaller pages (perPage, --per-page), or try again if properties were removed meanwhile",
      );
    this.#seen += data.length;
    this.#pages += 1;
    if (this.#seen >= this.#expected) return undefined;
    if (this.#seen <= 2 * this.#start.total + MAX_GROWTH) return page + 1;
    throw this.#invalid(
      `expected about ${this.#start.total} properties, as the first page said, got more and more, without an end${this.after}`,
      "request one page at a time (list, --page)",
    );
  }

  /** Items to expect from the first requested page on. */
  get #expected(): number {
    return Math.max(0, this.#total - (this.#start?.before ?? 0));
  }

  #invalid(what: string, fix: string): ServiceError {
    return invalidPage(200, `${this.#label}: ${what}: ${fix}`);
  }
}

function idOf({ property }: ListedItem<unknown>): unknown {
  return typeof property === "object" && property !== null ? Reflect.get(property, "id") : undefined;
}
