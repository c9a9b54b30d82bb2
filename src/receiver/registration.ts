import { randomBytes } from "node:crypto";
import { describeError } from "../errors.ts";
import { VERSION } from "../version.ts";
import type { Settings } from "./options.ts";

/** Announces this process to the other processes on the same inbox. */
export class Registration {
  /** Random per receiver. */
  readonly id = randomBytes(8).toString("hex");
  readonly #settings: Pick<Settings, "inbox" | "source" | "log">;
  readonly #kinds: () => readonly string[];

  /** @param kinds - returns the kinds and patterns that have handlers now */
  constructor(settings: Pick<Settings, "inbox" | "source" | "log">, kinds: () => readonly string[]) {
    this.#settings = settings;
    this.#kinds = kinds;
  }

  /** Registers this process with the inbox, or updates what it registered. */
  async register(): Promise<void> {
    const { inbox, source } = this.#settings;
    const { id } = this;
    await inbox.register?.({ id, version: VERSION, role: "both", sources: [source], kinds: this.#kinds() });
  }

  /** Updates the registration without waiting; logs a failure. */
  update(): void {
    this.register().catch((thrown) => {
      const fields = { error: describeError(thrown) };
      this.#settings.log.warn(fields, "could not register with the inbox which kinds have handlers now");
    });
  }
}
