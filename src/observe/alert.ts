/** What is wrong. Times are milliseconds. */
export type AlertCondition =
  /**
   * Dead letters wait for someone: `count` were neither retried nor dropped; more than `above` are
   * an alert.
   */
  | { readonly type: "dead_letters"; readonly count: number; readonly above: number }
  /**
   * Deliveries are answered 503. The cause is a code, such as `disk_full`; `undefined` when it is
   * over.
   */
  | { readonly type: "not_ready"; readonly cause: string | undefined }
  /**
   * Nothing authentic came for `silence`; up to `limit` is normal: 3 times the longest gap of 14
   * days.
   */
  | {
      readonly type: "nothing_arrives";
      readonly source: string;
      readonly silence: number;
      readonly limit: number;
    }
  /**
   * Signatures match no secret, as after a change: `refused` deliveries since the latest authentic
   * one.
   */
  | { readonly type: "no_authentic"; readonly source: string; readonly refused: number }
  /** The oldest due entry has waited for `age`, which is above `limit`. */
  | { readonly type: "oldest_due"; readonly age: number; readonly limit: number }
  /**
   * The disk of the inbox file, or `maxInboxSize`, is nearly full; `freeBytes` is `undefined` if
   * unknown.
   */
  | {
      readonly type: "inbox_nearly_full";
      readonly cause: "disk" | "max_inbox_size";
      readonly bytes: number;
      readonly freeBytes: number | undefined;
    }
  /** Events began to differ from those before, in so many ways within the last hour. */
  | { readonly type: "drift"; readonly differences: number };

/** Passed to `onAlert`: a condition when it begins to hold, and once more when it is over. */
export type Alert = AlertCondition & {
  /** `false` when it is over; the numbers are then those of now. */
  readonly active: boolean;
};
