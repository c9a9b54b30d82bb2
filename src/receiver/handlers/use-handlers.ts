import { detach } from "../../base/try-or.ts";
import { reportTo } from "../../base/user-calls.ts";
import type { Settings } from "../options/settings.ts";
import type { ReceiverState } from "../state.ts";
import { checkTransactions } from "./check-transactions.ts";
import { withDeclared } from "./declared-handlers.ts";
import { type HandlersModule, type HandlersOption, isHandlersModule } from "./define-handlers.ts";
import type { HandlerSet } from "./handler-set.ts";
import { registerHandlers } from "./register-handlers.ts";
import { Router } from "./router.ts";

/**
 * Puts handlers in the place of those of now, all at once. A module brings kinds and schemas; other
 * handlers are for those of now.
 *
 * @param declared - the kinds and schemas of the receiver's options
 */
export function useHandlers(
  handlers: HandlersModule | HandlersOption,
  declared: HandlerSet,
  { role, log }: Settings,
  state: ReceiverState,
): void {
  const { inbox, router: before } = state;
  const isModule = isHandlersModule(handlers);
  const empty = isModule
    ? withDeclared(declared, handlers)
    : before.handlers.with({ routes: [], deadListeners: [] });
  const router = new Router(empty, (pattern) => {
    if (role !== "receive") checkTransactions(inbox, pattern); // else another process runs it
  });
  const registered = registerHandlers(isModule ? handlers.handlers : handlers, router);
  // what it registers later counts too
  detach(registered.returned, reportTo(log, "handlers"));
  state.router = router;
}
