import type { HookporterError } from "../../errors.ts";
import type { Inbox } from "../inbox.ts";
import { INBOX_METHODS, OPTIONAL_INBOX_METHODS } from "../inbox-methods.ts";
import type { OpenTerms } from "../open-terms.ts";
import type { Runner } from "../runner.ts";
import { CommitListeners, type InboxVitals } from "../vitals.ts";
import { rename, storeOf } from "./process-stores.ts";
import type { SharedStore } from "./shared-store.ts";

/** Where the inboxes of a process that are the same one find each other. */
export interface SharedTerms {
  /** A store that is not open, for the process of an id; without one, for a command that does not register. */
  readonly make: (process?: string) => Inbox;
  /** The names of the store while it is being opened, and once it is open. */
  readonly names: () => { readonly opening: readonly string[]; readonly open: readonly string[] };
}

/**
 * An inbox that this process opens once, however many receivers use it: one connection, one group commit, one writer
 * thread, one registration. A command that only looks in, or changes entries, opens the store for itself.
 */
export function sharedInbox(terms: SharedTerms): Inbox {
  const inbox = new SharedInbox(terms);
  const own = inbox as unknown as Record<string, unknown>;
  for (const name of [...INBOX_METHODS, ...OPTIONAL_INBOX_METHODS]) {
    if (name in inbox || inbox.store[name] === undefined) continue;
    own[name] = (...given: readonly never[]) => (inbox.store[name] as (...all: never[]) => unknown)(...given);
  }
  return inbox as unknown as Inbox;
}

class SharedInbox {
  readonly #terms: SharedTerms;
  /** Not open while {@link #shared} is: it says so to those who come too early or too late. */
  readonly #alone: Inbox;
  #shared: SharedStore | undefined;
  /** Closes what each `open` has opened, the latest last. */
  readonly #opened: (() => Promise<void>)[] = [];
  readonly #commits = new CommitListeners();
  #stopNoting: (() => void) | undefined;
  readonly vitals: InboxVitals = {
    size: async () => (await this.store.vitals?.size()) ?? { bytes: 0 },
    onCommit: (listener) => this.#commits.onCommit(listener),
  };

  constructor(terms: SharedTerms) {
    this.#terms = terms;
    this.#alone = terms.make();
  }

  get store(): Inbox {
    return this.#shared?.inbox ?? this.#alone;
  }

  async open(terms: OpenTerms = {}): Promise<void> {
    const { access = "own" } = terms;
    if (access !== "own") {
      await this.#alone.open(terms);
      this.#opened.push(() => this.#alone.close());
      return;
    }
    const { names, make } = this.#terms;
    const shared = this.#shared ?? storeOf(names().opening, make);
    const leave = await shared.join(terms);
    rename(shared, names().open);
    this.#shared = shared;
    this.#stopNoting ??= shared.inbox.vitals?.onCommit((duration) => this.#commits.note(duration));
    this.#opened.push(async () => {
      if (this.#opened.length === 0) this.#forget();
      await leave();
    });
  }

  async close(): Promise<void> {
    await this.#opened.pop()?.();
  }

  #forget(): void {
    this.#shared = undefined;
    this.#stopNoting?.();
    this.#stopNoting = undefined;
  }

  async register(runner: Runner): Promise<void> {
    await (this.#shared ?? this.#alone).register?.(runner);
  }

  async unregister(id: string): Promise<void> {
    await this.#shared?.unregister(id);
  }

  runners(): Promise<readonly Runner[]> {
    return (this.#shared ?? this.#alone).runners?.() ?? Promise.resolve([]);
  }

  get damage(): HookporterError | undefined {
    return this.store.damage;
  }

  get hears(): boolean {
    return this.store.hears === true;
  }

  get isPaused(): boolean {
    return this.store.isPaused === true;
  }

  get insideLimit(): number | undefined {
    return this.store.insideLimit;
  }
}
