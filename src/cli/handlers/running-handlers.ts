import type { Handler } from "../../dispatch/plan/handler.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";
import { wrappingRegistry } from "./wrapping-registry.ts";

/** Only this many entries are named; the others are counted. */
const NAMED = 10;

/** The runs of the user's handlers that have not ended, including those that timed out. */
export class RunningHandlers {
  readonly #entries = new Map<symbol, string>();
  #changed: (names: string) => void = () => {};

  /** A registry whose handlers are counted while they run. */
  watch(registry: HandlerRegistry): HandlerRegistry {
    return wrappingRegistry(registry, (handler) => this.#watched(handler));
  }

  /** Calls the listener with {@link names} before each handler, and after each. */
  onChange(listener: (names: string) => void): void {
    this.#changed = listener;
  }

  /**
   * Their entries, in the order in which they began: `#12 payment.received, #13 lead.created`;
   * empty if none runs.
   */
  get names(): string {
    const names = [...new Set(this.#entries.values())];
    const rest = names.length - NAMED;
    return [...names.slice(0, NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  }

  #watched(handler: Handler): Handler {
    return async (event, context) => {
      const run = Symbol();
      this.#entries.set(run, `#${context.seq} ${event.kind}`);
      this.#changed(this.names);
      try {
        return await handler(event, context);
      } finally {
        this.#entries.delete(run);
        this.#changed(this.names);
      }
    };
  }
}
