/** Dead letters wait for someone. */
export interface DeadLettersAlert {
  readonly type: "dead_letters";
  /** How many there are that nobody has retried or dropped. */
  readonly count: number;
  /** The most that are no alert. */
  readonly above: number;
}

/** Deliveries are answered 503. */
export interface NotReadyAlert {
  readonly type: "not_ready";
  /** Why, as a code, such as `disk_full`; `undefined` when it is over. */
  readonly cause: string | undefined;
}

/** Nothing has come from a sender for unusually long. */
export interface NothingArrivesAlert {
  readonly type: "nothing_arrives";
  readonly source: string;
  /** Milliseconds since its latest authentic delivery. */
  readonly silence: number;
  /** Milliseconds that are still normal: 3 times the longest gap of 14 days. */
  readonly limit: number;
}

/** No delivery of a sender is authentic any more, as after its secret was changed. */
export interface NoAuthenticAlert {
  readonly type: "no_authentic";
  readonly source: string;
  /** Deliveries since the latest authentic one whose signature matches no secret. */
  readonly refused: number;
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

/** Events began to differ from those before, within the last hour. */
export interface DriftAlert {
  readonly type: "drift";
  /** In how many ways. */
  readonly differences: number;
}

/** What is wrong. */
export type AlertCondition =
  | DeadLettersAlert
  | NotReadyAlert
  | NothingArrivesAlert
  | NoAuthenticAlert
  | OldestDueAlert
  | InboxNearlyFullAlert
  | DriftAlert;

/** Passed to `onAlert`: a condition when it begins to hold, and once more when it is over. */
export type Alert = AlertCondition & {
  /** `false` when it is over; the numbers are then those of now. */
  readonly active: boolean;
};
