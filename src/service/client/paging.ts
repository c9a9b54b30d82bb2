import { invalidPage, type ListedItem, type Page } from "./page.ts";

/** A list may grow while it is read, but not to more than twice its first total and this. */
const MAX_GROWTH = 1000;

/**
 * Follows the pages of a list, so that an incomplete list is not taken for a complete one, and one
 * without an end is left: compares the number of items with `meta.total`, and the ids of a page
 * with those of the page before.
 *
 * @param asked - the page to begin with; `undefined` for the service's first one
 */
export function paging(label: string, asked: number | undefined) {
  let start: { readonly total: number; readonly before: number } | undefined;
  let known = "";
  let total = 0;
  let seen = 0;
  let pages = 0;
  /** Items to expect from the first requested page on. */
  const expected = () => Math.max(0, total - (start?.before ?? 0));
  /**
   * How far it came, such as ` after 50 of 250 properties in 2 pages`; empty before the first page.
   */
  const after = () => {
    const read = pages === 1 ? "1 page" : `${pages} pages`;
    return pages === 0 ? "" : ` after ${seen} of ${expected()} properties in ${read}`;
  };
  const invalid = (what: string, fix: string) =>
    invalidPage(200, `${label}: ${what}${after()}: ${fix}`);
  /**
   * Takes a page. Returns the number of the next one; `undefined` if this was the last. Throws
   * ServiceError `service_answer_invalid` if the list is incomplete, repeated or without an end.
   */
  const take = ({ data, meta }: Page<ListedItem<unknown>>): number | undefined => {
    const { page, per_page: perPage } = meta;
    // Whether pages count from 0 or 1 is not shown. It matters only if the list is begun with
    // another page: 1 is assumed.
    start ??= {
      total: meta.total,
      before: asked === undefined ? 0 : Math.max(0, page - 1) * perPage,
    };
    total = meta.total;
    const ids = JSON.stringify(data.map(idOf));
    if (data.length > 0 && ids === known && !ids.includes("null"))
      throw invalid(
        `expected other properties on page ${page}, got those of the page before again`,
        "check the page parameter (assumptions.pageParameter, or pageParameter for the commands), or try again if properties were added meanwhile",
      );
    known = ids;
    if (data.length === 0 && seen < expected())
      throw invalid(
        `expected ${expected()} properties, as meta.total says, got an empty page ${page}`,
        "the list is incomplete: request smaller pages (perPage, --per-page), or try again if properties were removed meanwhile",
      );
    seen += data.length;
    pages += 1;
    if (seen >= expected()) return undefined;
    if (seen <= 2 * start.total + MAX_GROWTH) return page + 1;
    throw invalid(
      `expected about ${start.total} properties, as the first page said, got more and more, without an end`,
      "request one page at a time (list, --page)",
    );
  };
  return { after, take };
}

function idOf({ property }: ListedItem<unknown>): unknown {
  return typeof property === "object" && property !== null
    ? Reflect.get(property, "id")
    : undefined;
}
