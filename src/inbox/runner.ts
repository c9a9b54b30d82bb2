/** A process that runs entries, as it registers with an inbox. */
export interface Runner {
  /** Random, new at each start. The tokens of its leases start with it and a dot. */
  readonly id: string;
  /** The version of hookporter. */
  readonly version: string;
  /** What it does with the inbox. */
  readonly role: "both";
  /** The sources whose entries it runs. */
  readonly sources: readonly string[];
  /** The kinds and patterns that it has handlers for. */
  readonly kinds: readonly string[];
}
