import type { Logger } from "../base/logger.ts";

/** How to open an inbox. */
export interface OpenTerms {
  /**
   * `own` makes the store if there is none, and brings its schema up to date. `change` reads and writes an existing
   * store of the current schema. `read` only reads an existing store. Default `own`.
   */
  readonly access?: "own" | "change" | "read";
  /** Where to report what an operator should know, such as damage. Default: no log. */
  readonly log?: Logger;
  /**
   * Size in bytes of the write-ahead log from which a warning is logged. Read again at each look, since several receivers
   * may share the inbox. Default 256 MiB.
   */
  readonly walLimit?: number;
}
