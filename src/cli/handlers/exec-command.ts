import type { HandlerContext } from "../../dispatch/plan/handler.ts";
import type { WebhookEvent } from "../../event/event.ts";
import type { OpenObject } from "../../event/schemas.ts";
import { type CommandSetup, runCommand } from "./run-command.ts";

/**
 * The variables that a command gets about its event. A test compares them with
 * `docs/reference/cli/exec.md`.
 */
export const EXEC_VARIABLES = [
  "HOOKPORTER_EVENT_ID",
  "HOOKPORTER_EVENT_KIND",
  "HOOKPORTER_EVENT_TIMESTAMP",
  "HOOKPORTER_ENTRY",
  "HOOKPORTER_ATTEMPT",
  "HOOKPORTER_DELIVERY_PATH",
  "HOOKPORTER_INBOX",
] as const;

export interface ExecOptions extends CommandSetup {
  /** The inbox file, or a URL without a password; `undefined` if it is in memory. */
  readonly inbox: string | undefined;
  readonly onLine: (seq: number, line: string) => void;
}

/**
 * Runs a command for each event, with the body on standard input. A run ends at the latest when the
 * handler's time is over.
 */
export class ExecCommand {
  readonly #options: ExecOptions;
  /** The runs that have not ended, by entry. */
  readonly #runs = new Map<number, Promise<unknown>>();

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  /**
   * Stable, so that a finished run is recognised after a restart. Arguments may hold secrets, so
   * only the program is named.
   */
  get name(): string {
    return `exec ${this.#options.words[0]}`;
  }

  async handler(event: WebhookEvent<string, OpenObject>, context: HandlerContext): Promise<void> {
    // After a time-out, the entry is retried while the command may still be ending.
    await this.#runs.get(context.seq)?.catch(() => {});
    context.signal.throwIfAborted();
    const run = this.#run(event, context);
    this.#runs.set(context.seq, run);
    try {
      await run;
    } finally {
      if (this.#runs.get(context.seq) === run) this.#runs.delete(context.seq);
    }
  }

  /** Resolves when every run has ended. The receiver is closed before, which ends them. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#runs.values());
  }

  async #run(
    event: WebhookEvent,
    { seq, attempt, delivery, signal }: HandlerContext,
  ): Promise<void> {
    const { inbox, onLine, ...setup } = this.#options;
    const variables: Readonly<Record<(typeof EXEC_VARIABLES)[number], string>> = {
      HOOKPORTER_EVENT_ID: event.id,
      HOOKPORTER_EVENT_KIND: event.kind,
      HOOKPORTER_EVENT_TIMESTAMP: event.timestamp,
      HOOKPORTER_ENTRY: String(seq),
      HOOKPORTER_ATTEMPT: String(attempt),
      // a query may hold credentials
      HOOKPORTER_DELIVERY_PATH: delivery.target.replace(/\?.*$/s, ""),
      HOOKPORTER_INBOX: inbox ?? "",
    };
    const { how, said } = await runCommand({
      ...setup,
      variables,
      signal,
      input: delivery.body,
      onLine: (line) => onLine(seq, line),
    });
    if (how === undefined) return;
    const [program] = setup.words;
    throw new Error(
      `expected ${program} to end with exit code 0, got ${how}${said === "" ? "" : `: ${said}`}`,
    );
  }
}
