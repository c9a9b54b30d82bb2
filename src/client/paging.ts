import { createHash } from "node:crypto";
import type { ListedItem } from "./listed-item.ts";
import { invalidPage, type Page } from "./page.ts";
import type { ServiceError } from "./service-error.ts";

/** Remembered pages; about 1 MiB. A page that is repeated after more pages than this is still counted. */
const MAX_REMEMBERED = 10_000;

/** A list may grow while it is read, but not to more than twice its first total and this. */
const MAX_GROWTH = 1000;

type AnyPage = Page<ListedItem<unknown>>;

/**
 * Follows the pages of a list, so that an incomplete list is not taken for a complete one, and one without an end is left.
 * Compares the number of items with `meta.total`, and remembers a digest of each page's ids, but no item.
 */
export class Paging {
  readonly #label: string;
  readonly #asked: number | undefined;
  /** Number of the service's first page; `undefined` until known. Whether pages count from 0 or 1 is not shown. */
  #firstPage: number | undefined;
  #start: { readonly page: number; readonly perPage: number; readonly total: number } | undefined;
  #total = 0;
  #seen = 0;
  #pages = 0;
  readonly #digests = new Set<string>();

  /** @param asked - the page to begin with; `undefined` for the service's first one */
  constructor(label: string, asked: number | undefined) {
    this.#label = label;
    this.#asked = asked;
    if (asked === 0) this.#firstPage = 0;
  }

  /** How far it came, such as ` after 50 of 250 properties in 2 pages`; empty before the first page. */
  get after(): string {
    if (this.#pages === 0) return "";
    const pages = this.#pages === 1 ? "1 page" : `${this.#pages} pages`;
    return ` after ${this.#seen} of ${this.#expected} properties in ${pages}`;
  }

  /**
   * Whether it depends on the number of the service's first page if this page ends the list. That is unknown if the list was
   * begun with another page, and matters only if a page is empty.
   */
  needsFirstPage(page: AnyPage): boolean {
    return page.data.length === 0 && this.#firstPage === undefined && this.#asked !== undefined;
  }

  /** Sets the number of the service's first page. */
  set firstPage(number: number) {
    this.#firstPage = number;
  }

  /**
   * Takes a page. Returns the number of the next one; `undefined` if this was the last.
   *
   * @throws ServiceError `service_answer_invalid` if the list is incomplete, repeated or without an end
   */
  take(page: AnyPage): number | undefined {
    const { data, meta } = page;
    this.#total = meta.total;
    if (this.#asked === undefined) this.#firstPage ??= meta.page;
    this.#start ??= { page: meta.page, perPage: meta.per_page, total: meta.total };
    if (data.length > 0 && this.#expected === 0) throw this.#unexpected(page);
    if (this.#isRepeated(data)) throw this.#repeated(page);
    if (data.length === 0 && this.#seen < this.#expected) throw this.#incomplete(page);
    this.#seen += data.length;
    this.#pages += 1;
    if (this.#seen >= this.#expected) return undefined;
    if (this.#seen > 2 * this.#start.total + MAX_GROWTH) throw this.#endless(this.#start.total);
    return meta.page + 1;
  }

  /** Items to expect from the first requested page on. */
  get #expected(): number {
    if (this.#start === undefined) return 0;
    const { page, perPage } = this.#start;
    return Math.max(0, this.#total - Math.max(0, page - (this.#firstPage ?? 1)) * perPage);
  }

  /** Whether an earlier page had the same ids. Items without ids may be equal, so they are not compared. */
  #isRepeated(data: AnyPage["data"]): boolean {
    const ids = data.map(idOf);
    if (ids.length === 0 || ids.includes(undefined)) return false;
    const digest = createHash("sha256").update(JSON.stringify(ids.sort())).digest("base64");
    if (this.#digests.has(digest)) return true;
    const [oldest = ""] = this.#digests;
    if (this.#digests.size >= MAX_REMEMBERED) this.#digests.delete(oldest);
    this.#digests.add(digest);
    return false;
  }

  #incomplete({ meta }: AnyPage): ServiceError {
    return this.#invalid(
      `expected ${this.#expected} properties, as meta.total says, got an empty page ${meta.page}${this.after}`,
      "the list is incomplete: request smaller pages (perPage, --per-page), or try again if properties were removed meanwhile",
    );
  }

  #unexpected({ data, meta }: AnyPage): ServiceError {
    return this.#invalid(
      `expected no properties on page ${meta.page}, as meta.total ${meta.total} and meta.per_page ${meta.per_page} say, got ${data.length}`,
      "the list would be incomplete: request smaller pages (perPage, --per-page), or start with the first one",
    );
  }

  #repeated({ meta }: AnyPage): ServiceError {
    return this.#invalid(
      `expected other properties on page ${meta.page}, got those of an earlier page again${this.after}`,
      "check the page parameter (assumptions.pageParameter, --page-parameter), or try again if properties were added meanwhile",
    );
  }

  #endless(total: number): ServiceError {
    return this.#invalid(
      `expected about ${total} properties, as the first page said, got more and more, without an end${this.after}`,
      "request one page at a time (list, --page)",
    );
  }

  #invalid(what: string, fix: string): ServiceError {
    return invalidPage(200, `${this.#label}: ${what}: ${fix}`);
  }
}

function idOf({ property }: ListedItem<unknown>): string | undefined {
  const id: unknown = typeof property === "object" && property !== null ? Reflect.get(property, "id") : null;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
