import { HookporterError } from "../../base/errors.ts";
import { isError } from "../../base/guards.ts";
import { type Change, changedInAll, changeEntries } from "../../inbox/change-entries.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { PageAddresses } from "../../inspector/inspector.ts";
import { inboxOf } from "../../receiver/inbox-view.ts";
import { freshSending } from "../../relay/replay.ts";
import { send } from "../../relay/send.ts";
import type { Secret } from "../../signature/secrets.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { entryPage } from "../events/entry-view.ts";
import { openInBrowser, writeLeadingFile } from "../live/open-in-browser.ts";
import { printable } from "../output.ts";
import { childEnvironment } from "../secrets/child-environment.ts";
import type { ListenSession } from "./plan.ts";

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
 * Listens for the keys of the live view, only on a terminal: does nothing if input or output is
 * piped, or output is NDJSON. Returns a stop function.
 */
export function openKeys(
  session: ListenSession,
  target: URL,
  page: PageAddresses | undefined,
): () => void {
  const { options, context, current, bar } = session;
  const { io, output } = context;
  if (options.secretStdin === true || current === undefined) return () => {};
  if (!io.isTTY.stdin || !io.isTTY.stdout || output.json) return () => {};
  const keys = new LiveKeys({ ...session, current, target, page });
  bar.update({ hasKeys: true });
  // A terminal that shows no line at the bottom is told once.
  if (!output.status(undefined)) output.talk("keys: ↑↓ select, ? help, q quit");
  const off = io.onKeys((key) => keys.press(key));
  return () => {
    keys.close();
    off();
  };
}

interface KeySession extends ListenSession {
  readonly current: Secret;
  /** Where entries are sent again: the receiver itself. */
  readonly target: URL;
  /** The addresses of the inspector page, if there is one. */
  readonly page: PageAddresses | undefined;
}

class LiveKeys {
  readonly #session: KeySession;
  /** What the last key asked to be confirmed by pressing it again. */
  #asked: string | undefined;
  /** Remove the files with which the page was opened. */
  readonly #files: (() => void)[] = [];

  constructor(session: KeySession) {
    this.#session = session;
  }

  press(key: string): void {
    const asked = this.#asked;
    this.#asked = undefined;
    const { page, stop, goal, recent, target } = this.#session;
    if (UP.includes(key)) this.#select(() => recent.move(-1));
    else if (DOWN.includes(key)) this.#select(() => recent.move(1));
    else if (key === ESCAPE) this.#select(() => recent.unselect());
    else if (ENTER.includes(key)) this.#try(() => this.#show());
    else if (key === "r") this.#try(() => this.#runAgain(asked));
    else if (key === "d") this.#try(() => this.#drop(asked));
    else if (key === "o" && page !== undefined) this.#try(() => this.#openPage(page.url));
    else if (key === "u")
      for (const url of [target, ...(page ? [page.url, page.loopbackUrl] : [])])
        this.#print(url.href);
    else if (key === "?" || key === "h") for (const line of HELP) this.#print(line);
    else if (key === "q") stop({ reason: "stopped by q", exitCode: goal === undefined ? 0 : 130 });
  }

  close(): void {
    for (const remove of this.#files) remove();
  }

  #print(text: string): void {
    this.#session.context.output.talk(text);
  }

  #select(change: () => void): void {
    const { recent, bar } = this.#session;
    change();
    bar.update({ selected: recent.selected });
    if (recent.newest === undefined) this.#print("nothing to select: no event has arrived yet");
  }

  /** Opens the inspector page at the selected entry, or as a whole. */
  async #openPage(page: URL): Promise<void> {
    const { context, options, recent } = this.#session;
    const { selected } = recent;
    const address = new URL(page);
    if (selected !== undefined) address.hash += `/entry/${selected.seq}`;
    const { path, remove } = writeLeadingFile(address);
    this.#files.push(remove);
    await openInBrowser(path, childEnvironment(context.io, options));
  }

  async #show(): Promise<void> {
    const seq = this.#chosen();
    if (seq === undefined) return;
    const inbox = inboxOf(this.#session.receiver);
    const { output } = this.#session.context;
    const entry = await this.#entry(seq);
    const lines = entryPage(entry, await inbox.delivery(seq), await inbox.attempts(seq), output);
    output.data(["", ...lines, ""].join("\n"));
  }

  /**
   * A retry runs what was kept, so it is done at once; a new event may have effects twice, so it is
   * asked for twice.
   */
  async #runAgain(asked: string | undefined): Promise<void> {
    const seq = this.#chosen();
    if (seq === undefined) return;
    const { state } = await this.#entry(seq);
    if (state !== "handled") {
      await this.#change("retry", seq, "is running, or has ended meanwhile");
      this.#print(`#${seq} runs again`);
    } else if (this.#isConfirmed(asked, `r${seq}`)) await this.#sendAgain(seq);
    else this.#print(`#${seq} has been handled: press r again to send it again as a new event`);
  }

  /**
   * Sends an entry's delivery to the receiver as a new event, with a new timestamp and signature.
   */
  async #sendAgain(seq: number): Promise<void> {
    const { receiver, target, current, options, context } = this.#session;
    const delivery = await inboxOf(receiver).delivery(seq);
    if (delivery === undefined) throw gone(seq);
    const { signatureHeader: header = SIGNATURE_HEADER } = options;
    const signing = { key: current.key, header, now: context.clock() };
    const { headers, body } = freshSending({ type: "delivery", delivery }, signing);
    await send({ target, headers, body });
  }

  async #drop(asked: string | undefined): Promise<void> {
    const { recent } = this.#session;
    const { seq, text = "" } = recent.selected ?? {};
    if (seq === undefined) this.#print("select the entry to drop with ↑ and ↓ first");
    else if (this.#isConfirmed(asked, `d${seq}`)) {
      await this.#change("drop", seq, "has ended: there is nothing to drop");
      this.#select(() => recent.note(seq, `${text.slice(0, text.lastIndexOf(" ") + 1)}dropped`));
      this.#print(`#${seq} is dropped: it will not run, unless you retry it`);
    } else this.#print(`press d again to drop #${seq}: it will not run again`);
  }

  async #change(change: Change, seq: number, otherwise: string): Promise<void> {
    const { receiver, context } = this.#session;
    const changed = await changeEntries(inboxOf(receiver), change, { seq }, context.clock());
    if (changedInAll(changed) === 0)
      throw new HookporterError("entry_unknown", `#${seq} ${otherwise}`);
  }

  /** Whether the last key asked for this; if not, this asks for it. */
  #isConfirmed(asked: string | undefined, what: string): boolean {
    if (asked === what) return true;
    this.#asked = what;
    return false;
  }

  /** The selected entry, else the newest. */
  #chosen(): number | undefined {
    const { selected, newest } = this.#session.recent;
    const chosen = selected ?? newest;
    if (chosen === undefined) this.#print("no event has arrived yet");
    return chosen?.seq;
  }

  async #entry(seq: number): Promise<Entry> {
    const [entry] = await inboxOf(this.#session.receiver).list({ seq });
    if (entry === undefined) throw gone(seq);
    return entry;
  }

  #try(action: () => Promise<void>): void {
    action().catch((thrown: unknown) => {
      this.#print(printable(isError(thrown) ? thrown.message : String(thrown), 500));
    });
  }
}

function gone(seq: number): HookporterError {
  return new HookporterError("entry_unknown", `#${seq} is no longer in the inbox`);
}
