import { randomBytes } from "node:crypto";
import { describeError } from "../errors.ts";
import { VERSION } from "../version.ts";
import type { Settings } from "./options.ts";

/** What other processes on the same inbox are told of this one. */
export class Registration {
  /** New with each receiver. */
  readonly id = randomBytes(8).toString("hex");
  readonly #settings: Pick<Settings, "inbox" | "source" | "log">;
  readonly #kinds: () => readonly string[];

  /** @param kinds - the kinds and patterns that have handlers now */
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

  /** Updates what it registered, later. */
  update(): void {
    this.register().catch((thrown) => {
      const fields = { error: describeError(thrown) };
      this.#settings.log.warn(fields, "the inbox could not be told which kinds have handlers now");
    });
  }
}
