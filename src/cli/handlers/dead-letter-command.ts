import { describeError } from "../../base/errors.ts";
import { cutText } from "../../base/text/cut-text.ts";
import { durationText } from "../../base/text/duration-text.ts";
import type { DeadLetter } from "../../dispatch/plan/handler.ts";
import { type CommandSetup, runCommand } from "./run-command.ts";

/** Milliseconds from the start of a run to that of the next. */
const INTERVAL = 60_000;

/** Milliseconds that a run may take, and that it still has when `listen` ends. */
export const TIME_LIMIT = 30_000;
export const LAST_RUN = 5000;

/** Bytes of a value in a variable: a sender's own words may be longer than a system allows. */
export const LONGEST_VALUE = 1000;

/**
 * The variables that a command gets about a dead letter. A test compares them with
 * `docs/reference/cli/on-dead.md`.
 */
export const DEAD_LETTER_VARIABLES = [
  "HOOKPORTER_ENTRY",
  "HOOKPORTER_EVENT_ID",
  "HOOKPORTER_EVENT_KIND",
  "HOOKPORTER_EVENT_TIMESTAMP",
  "HOOKPORTER_DEAD_REASON",
  "HOOKPORTER_DEAD_COUNT",
  "HOOKPORTER_INBOX",
] as const;

export interface DeadLetterCommandOptions extends CommandSetup {
  /** The inbox file, or a URL without a password; `undefined` if it is in memory. */
  readonly inbox: string | undefined;
  /** Called with each line of output, and with a sentence if a run failed. */
  readonly onLine: (line: string) => void;
  readonly onFailure: (message: string) => void;
  /** Milliseconds from the start of a run to that of the next. Default: a minute. */
  readonly interval?: number;
  /** Milliseconds that a run may take. Default: 30 seconds. */
  readonly timeLimit?: number;
  /**
   * Milliseconds that a run still has after {@link DeadLetterCommand.close}. Default: 5 seconds.
   */
  readonly lastRun?: number;
}

/**
 * Runs a command when entries become dead letters: for the first at once, then at most once per
 * interval, for all since the previous run. One run at a time. A failed run is not repeated.
 */
export class DeadLetterCommand {
  readonly #options: DeadLetterCommandOptions;
  /** Ends the current run, with the reason. */
  #ender = new AbortController();
  #latest: DeadLetter | undefined;
  #count = 0;
  #pause: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: DeadLetterCommandOptions) {
    this.#options = options;
  }

  /** How many dead letters no run was for yet. */
  get pending(): number {
    return this.#count;
  }

  /** Notes a dead letter. Stable, so that it can be registered as it is. */
  note(letter: DeadLetter): void {
    this.#latest = letter;
    this.#count++;
    this.#next();
  }

  /** Starts no more runs, and resolves when the current one has ended. */
  async close(): Promise<void> {
    const { lastRun = LAST_RUN } = this.#options;
    clearTimeout(this.#pause);
    this.#next = () => {};
    const [program] = this.#options.words;
    const ending = setTimeout(
      () => this.#ender.abort(`${program} was ended, since listen ends`),
      lastRun,
    );
    await this.#running;
    clearTimeout(ending);
  }

  #next = (): void => {
    if (this.#latest === undefined || this.#running !== undefined || this.#pause !== undefined)
      return;
    const { interval = INTERVAL } = this.#options;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#next();
    }, interval).unref();
    this.#running = this.#run(this.#latest, this.#count).finally(() => {
      this.#running = undefined;
      this.#next();
    });
    this.#latest = undefined;
    this.#count = 0;
  };

  async #run(letter: DeadLetter, count: number): Promise<void> {
    const { inbox, onLine, onFailure, timeLimit = TIME_LIMIT, ...setup } = this.#options;
    const [program = ""] = setup.words;
    const ender = new AbortController();
    this.#ender = ender;
    const late = `expected ${program} to end within ${durationText(timeLimit)}, so it was ended`;
    const limit = setTimeout(() => ender.abort(late), timeLimit);
    try {
      const { how } = await runCommand({
        ...setup,
        variables: variablesOf(letter, count, inbox),
        input: `${JSON.stringify(summaryOf(letter, count, inbox))}\n`,
        signal: ender.signal,
        onLine,
      });
      if (ender.signal.aborted) onFailure(ender.signal.reason);
      else if (how !== undefined)
        onFailure(`expected ${program} to end with exit code 0, got ${how}`);
    } catch (error) {
      onFailure(describeError(error));
    } finally {
      clearTimeout(limit);
    }
  }
}

/** What the command gets on standard input. No payload: it may be on its way to a chat. */
function summaryOf(letter: DeadLetter, count: number, inbox: string | undefined): object {
  const { seq, eventId, kind, event, reason, problems, error } = letter;
  const timestamp = event?.timestamp ?? null;
  return {
    seq,
    id: eventId,
    kind,
    timestamp,
    reason,
    problems,
    error,
    count,
    inbox: inbox ?? null,
  };
}

function variablesOf(
  { seq, eventId, kind, event, reason }: DeadLetter,
  count: number,
  inbox: string | undefined,
): Readonly<Record<(typeof DEAD_LETTER_VARIABLES)[number], string>> {
  return {
    HOOKPORTER_ENTRY: String(seq),
    HOOKPORTER_EVENT_ID: cutText(eventId, LONGEST_VALUE),
    HOOKPORTER_EVENT_KIND: cutText(kind ?? "", LONGEST_VALUE),
    HOOKPORTER_EVENT_TIMESTAMP: cutText(event?.timestamp ?? "", LONGEST_VALUE),
    HOOKPORTER_DEAD_REASON: reason,
    HOOKPORTER_DEAD_COUNT: String(count),
    HOOKPORTER_INBOX: inbox ?? "",
  };
}
