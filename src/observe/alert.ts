/** How many dead letters are too many. */
export interface DeadLettersLimit {
  /** The most that are no alert. Default 0. */
  readonly above: number;
  /** Milliseconds of the window. Default 900000 (15 minutes). */
  readonly within: number;
}

/** Dead letters above a number within a window. */
export interface DeadLettersAlert extends DeadLettersLimit {
  readonly type: "dead_letters";
  /** How many there were within the window, in this process. */
  readonly count: number;
}

/** The oldest due entry has waited too long. */
export interface OldestDueAlert {
  readonly type: "oldest_due";
  /** Milliseconds that it has waited. */
  readonly age: number;
  /** Milliseconds from which it is too long. */
  readonly limit: number;
}

export interface InboxNearlyFullAlert {
  readonly type: "inbox_nearly_full";
  /** What is full: the disk of the inbox file, or `maxInboxSize`. */
  readonly cause: "disk" | "max_inbox_size";
  readonly bytes: number;
  /** Bytes that are free on the disk; `undefined` if that is unknown. */
  readonly freeBytes: number | undefined;
}

/** What is wrong. */
export type AlertCondition = DeadLettersAlert | OldestDueAlert | InboxNearlyFullAlert;

/** Passed to `onAlert`: a condition when it begins to hold, and once more when it is over. */
export type Alert = AlertCondition & {
  /** `false` when it is over; the numbers are then those of now. */
  readonly active: boolean;
};
