/** What a database used since it started. */
export interface DatabaseUse {
  /** Seconds of processor time of all its processes. */
  readonly cpu: number;
  readonly statements: number;
  /** Bytes of its log. */
  readonly log: number;
}

/** A database server of the bench. */
export interface Database {
  readonly url: string;
  used(): Promise<DatabaseUse>;
  /** Ends it at once, as a crash does, and starts it again on the same files. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}
