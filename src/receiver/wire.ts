import type { DataSchemas } from "../event/schemas.ts";
import { checkTransactions } from "./handlers/check-transactions.ts";
import {
  type HandlersModule,
  type HandlersOption,
  isHandlersModule,
  mergeSchemas,
  registerHandlers,
} from "./handlers/define-handlers.ts";
import { Router } from "./handlers/router.ts";
import type { Settings } from "./options/options.ts";

/** What handlers become: a router, and settings with the schemas and other kinds of a module. */
export interface Wired {
  readonly router: Router;
  readonly settings: Settings;
}

/**
 * Registers handlers with a new router. A module's schemas and other kinds are added to a receiver's own settings; with
 * other handlers, the current settings stay.
 *
 * @throws ConfigurationError `option_invalid`; and whatever a function that registers handlers throws
 */
export function wire(handlers: HandlersModule | HandlersOption, own: Settings, current: Settings): Wired {
  const settings = isHandlersModule(handlers) ? withModule(own, handlers) : current;
  const router = new Router(settings.knownKinds, (pattern) => {
    if (own.role !== "receive") checkTransactions(own.inbox, pattern); // otherwise another process runs it
  });
  registerHandlers(isHandlersModule(handlers) ? handlers.handlers : handlers, router);
  return { router, settings };
}

function withModule(own: Settings, { otherKinds, schemas }: HandlersModule<DataSchemas, string>): Settings {
  const knownKinds = [...new Set([...own.knownKinds, ...otherKinds])];
  return Object.freeze({ ...own, knownKinds, schemas: mergeSchemas(own.schemas, schemas) });
}
