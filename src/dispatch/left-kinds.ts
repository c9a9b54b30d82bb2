/** The kinds that have no handler here, and are left to other processes that have one. */
export interface LeftKinds {
  /** Whether there are none. */
  readonly isEmpty: boolean;
  /** Those of a source, as the inbox stores them. Looks at the other processes again from time to time. */
  of(source: string): Promise<readonly string[]>;
}

/** For an inbox that only this process uses. */
export const NO_LEFT_KINDS: LeftKinds = { isEmpty: true, of: async () => [] };
