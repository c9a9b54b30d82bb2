import { detach } from "../base/detach.ts";
import { ListenerCalls } from "../base/listeners.ts";
import { reportTo } from "../base/user-calls.ts";
import type { DeadLetter } from "../dispatch/handler.ts";
import type { DataSchemas } from "../event/schemas.ts";
import { checkTransactions } from "./handlers/check-transactions.ts";
import {
  type HandlersModule,
  type HandlersOption,
  isHandlersModule,
  mergeSchemas,
} from "./handlers/define-handlers.ts";
import { registerHandlers } from "./handlers/register-handlers.ts";
import { Router } from "./handlers/router.ts";
import type { Settings } from "./options/settings.ts";

/**
 * The handlers of a receiver, and its settings with the schemas and other kinds of a module of
 * handlers.
 */
export class HandlerSet {
  readonly #own: Settings;
  settings: Settings;
  router = new Router();
  /** Whether a handler runs here in a transaction of the inbox. */
  hasTransactions = false;

  /** Calls the listeners of `router`, whichever handlers it is for. */
  readonly deadCalls: ListenerCalls<DeadLetter>;

  /** @param own - the settings without what a module of handlers brings */
  constructor(own: Settings) {
    this.#own = own;
    this.settings = own;
    this.deadCalls = new ListenerCalls("onDead", own.log);
  }

  /**
   * Registers handlers with a new router. A module's schemas and other kinds are added to the
   * receiver's own settings; with other handlers, the current settings stay.
   */
  use(handlers: HandlersModule | HandlersOption): void {
    const own = this.#own;
    const settings = isHandlersModule(handlers) ? withModule(own, handlers) : this.settings;
    const router = new Router(settings.knownKinds, (pattern) => {
      if (own.role === "receive") return; // another process runs it
      checkTransactions(own.inbox, pattern);
      this.hasTransactions = true;
    });
    const registered = registerHandlers(
      isHandlersModule(handlers) ? handlers.handlers : handlers,
      router,
    );
    // what it registers later counts too
    detach(registered.returned, reportTo(own.log, "handlers"));
    this.settings = settings;
    this.router = router;
  }
}

function withModule(
  own: Settings,
  { otherKinds, schemas }: HandlersModule<DataSchemas, string>,
): Settings {
  const knownKinds = [...new Set([...own.knownKinds, ...otherKinds])];
  return Object.freeze({ ...own, knownKinds, schemas: mergeSchemas(own.schemas, schemas) });
}
