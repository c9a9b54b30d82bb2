/** Makes up the `data` of triggered events. */
export interface MadeUpData {
  /** The shape file. */
  readonly file: string;
  /** `data` of a kind as JSON, the same for the same seed; nothing for a kind that is not in the file. */
  readonly data: (kind: string, seed: number) => string | undefined;
}
