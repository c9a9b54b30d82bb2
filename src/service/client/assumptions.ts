/**
 * Values that the service's description does not show but a client needs. Each is a guess, to be
 * corrected once the real service is known; nothing else in the client is guessed.
 */
export interface Assumptions {
  /**
   * Query parameter for the page number ("Names of the request parameters …: not shown"). Default
   * `page`.
   */
  readonly pageParameter: string;
  /** Query parameter for the page size. Default `per_page`. */
  readonly perPageParameter: string;
  /** Separator between names in `fields` ("value format: not shown"). Default a comma. */
  readonly fieldsSeparator: string;
}

/** Assumptions to correct: those that are left out, or `undefined`, keep their default. */
export type AssumptionOptions = {
  readonly [Name in keyof Assumptions]?: Assumptions[Name] | undefined;
};

/** The default guesses: the paging parameters have the same names as in `meta`. */
export const DEFAULT_ASSUMPTIONS: Assumptions = {
  pageParameter: "page",
  perPageParameter: "per_page",
  fieldsSeparator: ",",
};
