import { useState } from "preact/hooks";
import type { FilterName, PageFilter } from "./page-filter.ts";
import { useWindowEvent } from "./use-window-event.ts";

/** What the page shows, as given in the address's fragment. */
export interface Route {
  /** For example `/`, `/entry/12`, `/refusal/r3`, `/overview`, `/trigger`. */
  readonly path: string;
  /** The list's filter, in the API's format. */
  readonly filter: PageFilter;
}

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { path: path === "" ? "/" : path, filter: new URLSearchParams(query) };
}

export interface Place {
  readonly page: keyof typeof PAGES;
  /** The id of the opened row, such as `e12` or `r3`. */
  readonly opened?: string | undefined;
  /** The entry that the opened one was sent again from. */
  readonly from?: number | undefined;
}

const DETAIL = /^\/(?:entry\/(?<seq>\d+)(?:\/from\/(?<from>\d+))?|refusal\/(?<id>r\d+))$/;

export const PAGES = { "/": "Deliveries", "/overview": "Overview", "/trigger": "Trigger" } as const;

/** Where a path leads to; `undefined` if nowhere. */
export function placeOf(path: string): Place | undefined {
  if (path === "/" || path === "/overview" || path === "/trigger") return { page: path };
  const { seq, from, id } = DETAIL.exec(path)?.groups ?? {};
  if (seq === undefined && id === undefined) return undefined;
  return {
    page: "/",
    opened: id ?? `e${seq}`,
    from: from === undefined ? undefined : Number(from),
  };
}

export function toHash({ path, filter }: Route): string {
  const query = filter.toString();
  return `#${path}${query === "" ? "" : `?${query}`}`;
}

/** The fragment of another path with the same filter. */
export function hashOf(path: string): string {
  return toHash({ ...readRoute(location.hash), path });
}

/**
 * Goes to another path with the same filter. With `isPassing`, it takes the place of the current
 * one in the history.
 */
export function goTo(
  path: string,
  { isPassing = false }: { readonly isPassing?: boolean } = {},
): void {
  const hash = hashOf(path);
  if (isPassing) replaceHash(hash);
  else location.hash = hash;
}

/**
 * Changes the filter; an empty value removes a condition. Does not add a history entry per
 * keystroke.
 */
export function setFilter(changes: Readonly<Partial<Record<FilterName, string>>>): void {
  const { path, filter } = readRoute(location.hash);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") filter.delete(name);
    else filter.set(name, value);
  }
  replaceHash(toHash({ path, filter }));
}

function replaceHash(hash: string): void {
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useWindowEvent("hashchange", () => setHash(location.hash));
  return readRoute(hash);
}

/**
 * The list's filter as the API takes it. `within`, a duration in milliseconds, is the page's own
 * parameter for `since`.
 */
export function apiFilter(filter: URLSearchParams | string): URLSearchParams {
  const query: PageFilter = new URLSearchParams(filter);
  const within = Number(query.get("within"));
  query.delete("within");
  if (within > 0) query.set("since", String(Date.now() - within));
  return query;
}
