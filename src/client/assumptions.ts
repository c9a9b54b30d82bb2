/**
 * What the service's description does not show and a client cannot do without. Each is a guess, to be corrected once the
 * real service is known; nothing else in the client is guessed.
 */
export interface Assumptions {
  /** Query parameter that selects the page ("Names of the request parameters …: not shown"). Default `page`. */
  readonly pageParameter: string;
  /** Query parameter that selects the page size. Default `per_page`. */
  readonly perPageParameter: string;
  /** What stands between the names in `fields` ("value format: not shown"). Default a comma. */
  readonly fieldsSeparator: string;
}

/** The guesses: the paging parameters go by the names that `meta` has for them. */
export const DEFAULT_ASSUMPTIONS: Assumptions = {
  pageParameter: "page",
  perPageParameter: "per_page",
  fieldsSeparator: ",",
};
