import { guardedLogger } from "../../base/guarded-logger.ts";
import type { Inbox, OpenTerms } from "../inbox.ts";
import { MANAGED_METHODS, RUNNING_METHODS } from "../inbox-methods.ts";
import type { Runner } from "../runner.ts";
import { rename, storeOf } from "./process-stores.ts";
import type { SharedStore } from "./shared-store.ts";

/** Where the inboxes of a process that are the same one find each other. */
export interface SharedTerms {
  /**
   * A store that is not open, for the process of an id; without one, for a command that does not
   * register.
   */
  readonly make: (process?: string) => Inbox;
  /** The names of the store while it is being opened, and once it is open. */
  readonly names: () => { readonly opening: readonly string[]; readonly open: readonly string[] };
}

/**
 * An inbox that this process opens once, however many receivers use it: one connection, one group
 * commit, one writer thread, one registration. A command that only looks in, or changes entries,
 * opens the store for itself.
 */
export function sharedInbox({ make, names }: SharedTerms): Inbox {
  /** Not open while `shared` is: it says so to those who come too early or too late. */
  const alone = make();
  let shared: SharedStore | undefined;
  /** Closes what each `open` has opened, the latest last. */
  const opened: (() => Promise<void>)[] = [];
  const store = () => shared?.inbox ?? alone;
  const open = async (given: OpenTerms = {}): Promise<void> => {
    const { access = "own", log } = given;
    const terms = log === undefined ? given : { ...given, log: guardedLogger(log) };
    if (access !== "own") {
      await alone.open(terms);
      opened.push(() => alone.close());
      return;
    }
    const joined = shared ?? storeOf(names().opening, make);
    const leave = await joined.join(terms);
    rename(joined, names().open);
    shared = joined;
    opened.push(async () => {
      if (opened.length === 0) shared = undefined;
      await leave();
    });
  };
  const own = {
    open,
    close: async () => opened.pop()?.(),
    register: (runner: Runner, now: number) => (shared ?? alone).register(runner, now),
    runners: () => (shared ?? alone).runners(),
    get now() {
      return store().now;
    },
    get damage() {
      return store().damage;
    },
    get supportsNotify() {
      return store().supportsNotify;
    },
    get isPaused() {
      return store().isPaused;
    },
    get insideLimit() {
      return store().insideLimit;
    },
  };
  const forwarded = own as unknown as Record<string, unknown>;
  for (const name of [...RUNNING_METHODS, ...MANAGED_METHODS]) {
    if (name in own) continue;
    forwarded[name] = (...given: readonly never[]) =>
      (store()[name] as (...all: never[]) => unknown)(...given);
  }
  return own as unknown as Inbox;
}
