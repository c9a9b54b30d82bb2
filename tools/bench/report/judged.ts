/** A goal, and the result of this run. */
export interface Judged {
  readonly goal: string;
  readonly wanted: string;
  readonly got: number;
  /** `undefined` for a goal of fast machines on a slow one. */
  readonly reached: boolean | undefined;
}
