import type { CliContext } from "../context.ts";
import { printable } from "../printable.ts";
import type { LiveGate } from "./gate.ts";

/** The actions of the live view's keys. */
export interface KeyActions {
  readonly gate: LiveGate;
  /** Opens the inspector page; `undefined` if there is none. */
  readonly openPage: (() => Promise<void>) | undefined;
  /** Sends the last delivery again, with a new timestamp and signature. */
  readonly replayLast: () => Promise<void>;
  readonly quit: () => void;
}

const ENTER = ["\r", "\n"];
const ESCAPE = "\u001b";
const BACKSPACE = ["\u007f", "\b"];

/**
 * Listens for the keys of the live view, only on a terminal: does nothing if input or output is piped, or output is
 * NDJSON. Returns a stop function.
 */
export function listenForKeys(actions: KeyActions, context: CliContext): () => void {
  const { io, output } = context;
  if (!io.isTTY.stdin || !io.isTTY.stdout || output.json) return () => {};
  const keys = new LiveKeys(actions, context);
  output.talk(
    `keys: ${actions.openPage === undefined ? "" : "o open page, "}r replay last, f filter, p pause, q quit`,
  );
  return io.onKeys((key) => keys.press(key));
}

class LiveKeys {
  readonly #actions: KeyActions;
  readonly #context: CliContext;
  /** The filter while the user types it. */
  #typed: string | undefined;

  constructor(actions: KeyActions, context: CliContext) {
    this.#actions = actions;
    this.#context = context;
  }

  press(key: string): void {
    if (this.#typed !== undefined) {
      this.#type(key, this.#typed);
      return;
    }
    const { openPage, replayLast, quit } = this.#actions;
    if (key === "o" && openPage !== undefined) this.#try(openPage);
    else if (key === "r") this.#try(replayLast);
    else if (key === "f") this.#beginFilter();
    else if (key === "p") this.#togglePause();
    else if (key === "q") quit();
  }

  #try(action: () => Promise<void>): void {
    action().catch((thrown: unknown) => {
      this.#context.output.talk(printable(thrown instanceof Error ? thrown.message : String(thrown), 500));
    });
  }

  #togglePause(): void {
    const { gate } = this.#actions;
    if (gate.paused) this.#resume();
    else {
      gate.pause();
      this.#context.output.talk("paused; press p to resume");
    }
  }

  #resume(): void {
    const dropped = this.#actions.gate.resume();
    if (dropped > 0)
      this.#context.output.talk(`${dropped} more arrived during the pause; they are in the inbox`);
  }

  /** Lines are held back while the filter is typed, so that they do not mix with it. */
  #beginFilter(): void {
    this.#typed = "";
    this.#actions.gate.pause();
    this.#context.io.stderr.write("filter (Enter sets it, empty shows all): ");
  }

  #type(key: string, typed: string): void {
    const { stderr } = this.#context.io;
    if (ENTER.includes(key) || key === ESCAPE) {
      this.#typed = undefined;
      stderr.write("\n");
      if (key !== ESCAPE) this.#narrow(typed);
      this.#resume();
    } else if (BACKSPACE.includes(key)) {
      if (typed !== "") stderr.write("\b \b");
      this.#typed = typed.slice(0, -1);
    } else if (printable(key) === key) {
      this.#typed = typed + key;
      stderr.write(key);
    }
  }

  #narrow(filter: string): void {
    this.#actions.gate.narrow(filter.trim());
    const told =
      filter.trim() === "" ? "showing all" : `showing lines that contain ${JSON.stringify(filter.trim())}`;
    this.#context.output.talk(told);
  }
}
