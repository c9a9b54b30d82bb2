import type { Logger } from "../../base/logger.ts";
import type { Inbox, OpenTerms } from "../inbox.ts";
import { mergedRunner, type Runner } from "../runner.ts";
import { inboxUse } from "./inbox-use.ts";
import { meetOthers } from "./other-receivers.ts";

export type SharedStore = ReturnType<typeof shareStore>;

/** A store that is open once in this process, for everyone who opens it. */
export function shareStore(process: string, inbox: Inbox) {
  /** How everyone who uses it opened it. */
  const members = new Map<object, OpenTerms>();
  const registered = new Map<string, Runner>();
  let registering: Promise<void> = Promise.resolve();
  let isConflictReported = false;
  const reportedSources = new Set<string>();
  const given = <Name extends keyof OpenTerms>(name: Name) =>
    new Set([...members.values()].flatMap((terms) => terms[name] ?? []));
  /**
   * The terms of all members together, as they are whenever the store looks: the smallest limit
   * counts.
   */
  const together: OpenTerms = {
    log: logOfAll(() => given("log")),
    get walLimit() {
      return Math.min(...given("walLimit"));
    },
    onDue: () => {
      for (const { onDue } of members.values()) onDue?.();
    },
    onCommit: (duration) => {
      for (const { onCommit } of members.values()) onCommit?.(duration);
    },
  };
  const use = inboxUse(
    () => inbox.open(together),
    () => inbox.close(),
  );
  /** Records what is registered, one after another: the latest must be what stays. */
  const record = (now: number): Promise<void> => {
    const recorded = registering.then(async () => {
      await inbox.register(mergedRunner(process, [...registered.values()]), now);
    });
    registering = recorded.catch(() => {});
    return recorded;
  };
  /** Opens it, unless it is open. Resolves to a function that closes it, if nobody else uses it. */
  const join = async (terms: OpenTerms): Promise<() => Promise<void>> => {
    const member = {};
    members.set(member, terms);
    const leave = () => void members.delete(member);
    try {
      const release = await use();
      const limits = new Set([...members.values()].map(({ walLimit }) => walLimit));
      if (terms.walLimit !== undefined && limits.size > 1 && !isConflictReported) {
        isConflictReported = true;
        const message = "the receivers of this inbox have different walLimits: the smallest counts";
        terms.log?.warn({ walLimit: together.walLimit }, message);
      }
      const all = [...members.values()];
      meetOthers(terms, all.slice(0, all.indexOf(terms)), reportedSources);
      return () => release().finally(leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  };
  return {
    inbox,
    join,
    isUnused: () => members.size === 0,
    /** Registers a receiver of this process: the store has one record, of all of them. */
    register: async (runner: Runner, now: number) => {
      const isNew = !registered.has(runner.id);
      registered.set(runner.id, runner);
      try {
        await record(now);
      } catch (thrown) {
        // Nobody could end it. A later record of others must not have it.
        if (isNew) registered.delete(runner.id);
        throw thrown;
      }
      return async () => {
        if (registered.delete(runner.id) && registered.size > 0) await record(now);
      };
    },
    runners: async () => [...(await inbox.runners()), ...registered.values()],
  };
}

/** A logger that writes each line to all of these, as they are then. */
function logOfAll(logs: () => ReadonlySet<Logger>): Logger {
  const to = (level: keyof Logger) => (fields: object, message: string) => {
    for (const log of logs()) log[level](fields, message);
  };
  return { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") };
}
