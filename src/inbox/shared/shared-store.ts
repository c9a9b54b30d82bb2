import type { Logger } from "../../base/logger.ts";
import type { Inbox } from "../inbox.ts";
import type { OpenTerms } from "../open-terms.ts";
import { mergedRunner, type Runner } from "../runner.ts";
import { inboxUse, type UseInbox } from "./inbox-use.ts";

/** A store that is open once in this process, for everyone who opens it. */
export class SharedStore {
  readonly inbox: Inbox;
  readonly #process: string;
  readonly #use: UseInbox;
  /** How everyone who uses it opened it. */
  readonly #members = new Map<object, OpenTerms>();
  readonly #runners = new Map<string, Runner>();
  #registering: Promise<void> = Promise.resolve();
  #isConflictTold = false;

  constructor(process: string, inbox: Inbox) {
    this.#process = process;
    this.inbox = inbox;
    this.#use = inboxUse(
      () => inbox.open(this.#terms),
      () => inbox.close(),
    );
  }

  get isUnused(): boolean {
    return this.#members.size === 0;
  }

  /** Opens it, unless it is open. Resolves to a function that closes it, if nobody else uses it. */
  async join(terms: OpenTerms): Promise<() => Promise<void>> {
    const member = {};
    this.#members.set(member, terms);
    const leave = () => void this.#members.delete(member);
    try {
      const release = await this.#use();
      if (terms.walLimit !== undefined) this.#tellConflict(terms);
      return () => release().finally(leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  /** Registers a receiver of this process: the store has one record, of all of them. */
  register(runner: Runner): Promise<void> {
    this.#runners.set(runner.id, runner);
    return this.#record();
  }

  async unregister(id: string): Promise<void> {
    if (this.#runners.delete(id) && this.#runners.size > 0) await this.#record();
  }

  async runners(): Promise<readonly Runner[]> {
    return [...((await this.inbox.runners?.()) ?? []), ...this.#runners.values()];
  }

  /** Records what is registered, one after another: the latest must be what stays. */
  #record(): Promise<void> {
    const recorded = this.#registering.then(() =>
      this.inbox.register?.(mergedRunner(this.#process, [...this.#runners.values()])),
    );
    this.#registering = recorded.catch(() => {});
    return recorded;
  }

  /** The terms of all members together, as they are whenever the store looks: the smallest limit counts. */
  get #terms(): OpenTerms {
    const given = <Name extends keyof OpenTerms>(name: Name) =>
      new Set([...this.#members.values()].flatMap((terms) => terms[name] ?? []));
    return {
      log: logOfAll(() => given("log")),
      get walLimit() {
        return Math.min(...given("walLimit"));
      },
    };
  }

  #tellConflict({ log }: OpenTerms): void {
    const limits = new Set([...this.#members.values()].map(({ walLimit }) => walLimit));
    if (this.#isConflictTold || limits.size === 1) return;
    this.#isConflictTold = true;
    const { walLimit } = this.#terms;
    log?.warn({ walLimit }, "the receivers of this inbox have different walLimits: the smallest counts");
  }
}

/** A logger that writes each line to all of these, as they are then. */
function logOfAll(logs: () => ReadonlySet<Logger>): Logger {
  const to = (level: keyof Logger) => (fields: object, message: string) => {
    for (const log of logs()) log[level](fields, message);
  };
  return { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") };
}
