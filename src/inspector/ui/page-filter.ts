/** The conditions of the list. */
export type FilterName = "state" | "kind" | "within" | "since" | "until" | "text" | "like";

/** A filter, which is read by the same names by which it is set. */
export interface PageFilter extends URLSearchParams {
  get(name: FilterName): string | null;
  has(name: FilterName): boolean;
}
