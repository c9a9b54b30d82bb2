import { AsyncLocalStorage } from "node:async_hooks";
import { inspect, stripVTControlCharacters } from "node:util";
import type { Logger } from "../../base/logger.ts";
import { escapeInvisible } from "../../base/text/escape-invisible.ts";
import type { RunNote, RunNotes } from "../../inspector/live/run-notes.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import { wrappingRegistry } from "./wrapping-registry.ts";

/**
 * Notes what handlers print, and what targets answer, for the run that does it, also after an
 * `await`.
 */
export class NotedRuns {
  readonly #notes: RunNotes | undefined;
  readonly #current = new AsyncLocalStorage<{
    readonly seq: number;
    readonly note: RunNote | undefined;
  }>();

  /** @param notes - where they are kept; without it, only {@link numbered} is of use */
  constructor(notes: RunNotes | undefined) {
    this.#notes = notes;
  }

  watch(registry: HandlerRegistry): HandlerRegistry {
    return wrappingRegistry(registry, (handler) => (event, context) => {
      const { seq, attempt, log } = context;
      const note = this.#notes?.begin(seq, attempt);
      // Every run has a context of its own.
      if (note !== undefined) Object.assign(context, { log: noting(log, note) });
      return this.#current.run({ seq, note }, () => handler(event, context));
    });
  }

  /** Notes text that was printed, if a handler did it. */
  printed(isError: boolean, text: string): void {
    const plain = stripVTControlCharacters(text).replace(/\n$/, "");
    this.#current.getStore()?.note?.print(isError ? "error" : "info", plain);
  }

  /**
   * Text that was printed, for the terminal: if a handler did it, each line begins with its entry's
   * number, since several run at a time, and what it prints of a payload must not look like a line
   * of ours.
   */
  numbered(text: string): string {
    const run = this.#current.getStore();
    if (run === undefined) return text;
    const lines = text.replace(/\n$/, "").replace(NO_COLOR, "\\u001b").split("\n");
    return lines
      .map((line) => `${`#${run.seq}`.padStart(5)} │ ${escapeInvisible(line, "\t\u001b")}\n`)
      .join("");
  }

  answered(answer: TargetAnswer): void {
    this.#current.getStore()?.note?.answered(answer);
  }
}

/** An escape character that begins no colour, but may move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for this one
const NO_COLOR = /\u001b(?!\[[\d;]*m)/g;

/** A logger whose lines are noted too, also those that the terminal does not show. */
function noting(log: Logger, note: RunNote): Logger {
  const line = (level: keyof Logger) => (fields: object, message: string) => {
    const details = Object.entries(fields).map(
      ([name, value]) => `${name}=${inspect(value, { breakLength: Number.POSITIVE_INFINITY })}`,
    );
    note.print(level, [message, ...details].join(" "));
    log[level](fields, message);
  };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
