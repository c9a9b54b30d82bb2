import { Listeners } from "../base/listeners.ts";
import type { Logger } from "../base/logger.ts";
import { BodyBudget } from "../http/body-budget.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { selectInbox } from "../inbox/open.ts";
import { Backlog } from "./backlog.ts";
import type { HandlerSet } from "./handlers/handler-set.ts";
import { Router } from "./handlers/router.ts";
import type { ReceiverOptions } from "./options/receiver-options.ts";
import type { Settings } from "./options/settings.ts";
import { Restamps } from "./restamps.ts";
import { StoreHealth } from "./store-health.ts";

/** What of a receiver changes while it runs. Its `Settings` do not. */
export interface ReceiverState {
  readonly inbox: Inbox;
  /** Hears how many milliseconds each commit of the inbox took. */
  readonly commits: Listeners<number>;
  /** Refuses events while too many wait. `undefined`: any number may wait. */
  readonly backlog: Backlog | undefined;
  /** The bytes of all bodies that are being read. */
  readonly budget: BodyBudget;
  readonly store: StoreHealth;
  readonly restamps: Restamps;
  /** Has the handlers of now; replaced with them. */
  router: Router;
}

/**
 * The state of a new receiver: nothing is opened.
 *
 * @throws ConfigurationError `option_invalid`, `inbox_unsupported`
 */
export function newState(
  option: ReceiverOptions["inbox"],
  { source, maxPending, unverifiedLimit, log }: StateSettings,
  handlers: HandlerSet,
): ReceiverState {
  const inbox = selectInbox(option ?? "hookporter.db");
  return {
    inbox,
    commits: new Listeners("onCommit", log),
    backlog: maxPending === undefined ? undefined : new Backlog({ inbox, source, maxPending, log }),
    budget: new BodyBudget(unverifiedLimit),
    store: new StoreHealth(log),
    restamps: new Restamps(),
    router: new Router(handlers),
  };
}

type StateSettings = Pick<Settings, "source" | "maxPending" | "unverifiedLimit"> & {
  readonly log: Logger;
};
