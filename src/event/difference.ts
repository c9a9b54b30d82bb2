/**
 * How the `data` of an event differs from that of events before. Nothing here is a value of `data`.
 */
export interface Difference {
  /** Where, as in `data.lines[].type`; a key that is data is `*`. */
  readonly path: string;
  readonly what: "new field" | "field gone" | "type changed" | "new value";
  /** What was seen before, such as `string (date)`. */
  readonly expected: string;
  /** What there is now, such as `number`. */
  readonly got: string;
}
