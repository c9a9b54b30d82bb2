import { AsyncLocalStorage } from "node:async_hooks";
import { inspect, stripVTControlCharacters } from "node:util";
import type { Logger } from "../../base/logger.ts";
import type { RunNote, RunNotes } from "../../inspector/live/run-notes.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import { wrappingRegistry } from "./wrapping-registry.ts";

/** Notes what handlers print, and what targets answer, for the run that does it, also after an `await`. */
export class NotedRuns {
  readonly #notes: RunNotes;
  readonly #current = new AsyncLocalStorage<RunNote>();

  constructor(notes: RunNotes) {
    this.#notes = notes;
  }

  watch(registry: HandlerRegistry): HandlerRegistry {
    return wrappingRegistry(registry, (handler) => (event, context) => {
      const note = this.#notes.begin(context.seq, context.attempt);
      // Every run has a context of its own.
      Object.assign(context, { log: noting(context.log, note) });
      return this.#current.run(note, () => handler(event, context));
    });
  }

  /** Notes text that was printed, if a handler did it. */
  printed(isError: boolean, text: string): void {
    const plain = stripVTControlCharacters(text).replace(/\n$/, "");
    this.#current.getStore()?.print(isError ? "error" : "info", plain);
  }

  readonly answered = (answer: TargetAnswer): void => this.#current.getStore()?.answered(answer);
}

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
