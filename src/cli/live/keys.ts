import type { CliContext } from "../context.ts";
import { printable } from "../printable.ts";
import type { LiveEntryActions } from "./entry-actions.ts";
import type { RecentEntries } from "./recent-entries.ts";
import type { StatusBar } from "./status-bar.ts";

interface KeyActions {
  readonly bar: StatusBar;
  readonly recent: RecentEntries;
  readonly entries: LiveEntryActions;
  /** The address to which deliveries are sent, and that of the page. */
  readonly addresses: readonly string[];
  /** Opens the inspector page at an entry, or as a whole; `undefined` if there is none. */
  readonly openPage: ((seq: number | undefined) => Promise<void>) | undefined;
  readonly quit: () => void;
}

const ENTER = ["\r", "\n"];
const ESCAPE = "\u001b";
const UP = ["\u001b[A", "\u001bOA"];
const DOWN = ["\u001b[B", "\u001bOB"];

const HELP = [
  "↑ ↓     select an entry              enter   show it",
  "r       retry it; a handled one: send it again as a new event",
  "d       drop it                      esc     select none",
  "o       open it in the inspector     u       print the addresses again",
  "?       this help                    q       quit",
  "Without a selection, r and enter take the newest entry.",
];

/**
 * Listens for the keys of the live view, only on a terminal: does nothing if input or output is piped, or output is
 * NDJSON. Returns a stop function.
 */
export function listenForKeys(actions: KeyActions, context: CliContext): () => void {
  const { io, output } = context;
  if (!io.isTTY.stdin || !io.isTTY.stdout || output.json) return () => {};
  const keys = new LiveKeys(actions, context);
  actions.bar.update({ hasKeys: true });
  // A terminal that shows no line at the bottom is told once.
  if (!output.status(undefined)) output.talk("keys: ↑↓ select, ? help, q quit");
  return io.onKeys((key) => keys.press(key));
}

class LiveKeys {
  readonly #actions: KeyActions;
  readonly #context: CliContext;
  /** What the last key asked to be confirmed by pressing it again. */
  #asked: string | undefined;

  constructor(actions: KeyActions, context: CliContext) {
    this.#actions = actions;
    this.#context = context;
  }

  press(key: string): void {
    const asked = this.#asked;
    this.#asked = undefined;
    const { openPage, quit, recent, addresses } = this.#actions;
    const seq = recent.selected?.seq;
    if (UP.includes(key)) this.#select(() => recent.move(-1));
    else if (DOWN.includes(key)) this.#select(() => recent.move(1));
    else if (key === ESCAPE) this.#select(() => recent.unselect());
    else if (ENTER.includes(key)) this.#try(() => this.#show());
    else if (key === "r") this.#try(() => this.#runAgain(asked));
    else if (key === "d") this.#try(() => this.#drop(asked));
    else if (key === "o" && openPage !== undefined) this.#try(() => openPage(seq));
    else if (key === "u") for (const address of addresses) this.#say(address);
    else if (key === "?" || key === "h") for (const line of HELP) this.#say(line);
    else if (key === "q") quit();
  }

  #say(text: string): void {
    this.#context.output.talk(text);
  }

  #select(change: () => void): void {
    const { recent, bar } = this.#actions;
    change();
    bar.update({ selected: recent.selected });
    if (recent.newest === undefined) this.#say("nothing to select: no event has arrived yet");
  }

  async #show(): Promise<void> {
    const seq = this.#chosen();
    if (seq === undefined) return;
    const { output } = this.#context;
    const lines = await this.#actions.entries.page(seq, output);
    output.data(["", ...lines, ""].join("\n"));
  }

  /** A retry runs what was kept, so it is done at once; a new event may have effects twice, so it is asked for twice. */
  async #runAgain(asked: string | undefined): Promise<void> {
    const seq = this.#chosen();
    if (seq === undefined) return;
    const { entries } = this.#actions;
    if (await entries.canRetry(seq)) {
      await entries.retry(seq);
      this.#say(`#${seq} runs again`);
    } else if (this.#isConfirmed(asked, `r${seq}`)) await entries.sendAgain(seq);
    else this.#say(`#${seq} has been handled: press r again to send it again as a new event`);
  }

  async #drop(asked: string | undefined): Promise<void> {
    const { recent, entries } = this.#actions;
    const { seq, text = "" } = recent.selected ?? {};
    if (seq === undefined) this.#say("select the entry to drop with ↑ and ↓ first");
    else if (this.#isConfirmed(asked, `d${seq}`)) {
      await entries.drop(seq);
      this.#select(() => recent.note(seq, text.replace(/\S+$/, "dropped")));
      this.#say(`#${seq} is dropped: it will not run, unless you retry it`);
    } else this.#say(`press d again to drop #${seq}: it will not run again`);
  }

  /** Whether the last key asked for this; if not, this asks for it. */
  #isConfirmed(asked: string | undefined, what: string): boolean {
    if (asked === what) return true;
    this.#asked = what;
    return false;
  }

  /** The selected entry, else the newest. */
  #chosen(): number | undefined {
    const { selected, newest } = this.#actions.recent;
    const chosen = selected ?? newest;
    if (chosen === undefined) this.#say("no event has arrived yet");
    return chosen?.seq;
  }

  #try(action: () => Promise<void>): void {
    action().catch((thrown: unknown) => {
      this.#say(printable(thrown instanceof Error ? thrown.message : String(thrown), 500));
    });
  }
}
