import type { Logger } from "../../base/logger.ts";

/** Notes that an inbox was made, so that `listen` says it beside the inbox's path and not in a line above its title. */
export class NewInbox {
  #made = false;

  /** Whether there was no inbox before. */
  get made(): boolean {
    return this.#made;
  }

  /** A logger without the line about the new inbox, which is the only information about an inbox: the others are warnings. */
  without(log: Logger): Logger {
    return {
      ...log,
      info: (fields, message) => {
        if ("inbox" in fields) this.#made = true;
        else log.info(fields, message);
      },
    };
  }
}
