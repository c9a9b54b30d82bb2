import { setImmediate } from "node:timers";
import { describeError } from "../../base/errors.ts";
import { VERSION } from "../../base/package/version.ts";
import { receiverId } from "../../inbox/shared/process-stores.ts";
import type { Settings } from "../options/settings.ts";
import type { ReceiverState } from "../state.ts";

type Terms = Pick<Settings, "source" | "role" | "clock" | "log">;

/** Announces this receiver to the other receivers and processes on the same inbox. */
export class Registration {
  readonly id = receiverId();
  readonly #settings: Terms;
  readonly #state: Pick<ReceiverState, "inbox" | "router">;
  #end: (() => Promise<void>) | undefined;
  #isAnnouncing = false;

  constructor(settings: Terms, state: Pick<ReceiverState, "inbox" | "router">) {
    this.#settings = settings;
    this.#state = state;
  }

  /**
   * Registers this process with the inbox, or updates what it registered. What waits for its
   * handlers is due then.
   */
  async register(now = this.#settings.clock()): Promise<void> {
    const { source, role } = this.#settings;
    const { inbox, router } = this.#state;
    const { id } = this;
    const kinds = router.handlers.patterns;
    const own = { id, version: VERSION, role, sources: [source], kinds };
    this.#end = await inbox.register(own, inbox.now ?? now);
  }

  /** Ends the registration. A failure is nothing: the record ends with the process. */
  async end(): Promise<void> {
    await this.#end?.().catch(() => {});
  }

  /**
   * Updates the registration soon, once for all handlers that change in one turn of the event loop.
   */
  announce(isOpen: () => boolean, updated: () => void): void {
    if (!isOpen() || this.#isAnnouncing) return;
    this.#isAnnouncing = true;
    setImmediate(() => {
      this.#isAnnouncing = false;
      if (isOpen()) void this.update().then(updated);
    });
  }

  /** Updates the registration; logs a failure, and never rejects. */
  async update(): Promise<void> {
    try {
      await this.register();
    } catch (thrown) {
      const fields = { error: describeError(thrown) };
      this.#settings.log.warn(
        fields,
        "could not register with the inbox which kinds have handlers now",
      );
    }
  }
}
