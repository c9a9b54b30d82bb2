import {
  aBoolean,
  type Check,
  checkedElsewhere,
  checkOptions,
  invalid,
  invalidOption,
  nonEmptyString,
  syncFunction,
  wholeNumber,
} from "../../base/options/check-options.ts";
import { anAttemptCount } from "../../base/options/retry.ts";
import type { TargetOptions } from "../../dispatch/plan/target.ts";

/** Settings of one handler. */
export interface HandlerOptions {
  /**
   * The name its runs are recorded under; unique per receiver. Default: the pattern and a counter,
   * so give one when handlers of the same pattern may change their order between versions.
   */
  readonly name?: string;
  /** Kinds and families that this handler ignores. Default: none. */
  readonly except?: readonly string[];
  /**
   * The number of attempts, including the first, if it should be lower than in the receiver's
   * `retry`; `Infinity` for no limit of its own. If other handlers of the entry have attempts left,
   * the entry continues without this one, and is a dead letter at the end.
   */
  readonly attempts?: number;
  /**
   * What the handler sends to, if entries are to wait for it in order of arrival while it does not
   * answer: its name and limits. The handler says so with an error that has `away: true`, or
   * `away: "perhaps"` if it may be this event's fault, as after a time-out; with `final: true` the
   * event is a dead letter at once. Default: none.
   */
  readonly target?: TargetOptions;
  /**
   * Runs the handler in a transaction, passed as `tx` in its context. What it writes there commits
   * together with the record that this handler is done, or not at all. Needs an inbox on
   * PostgreSQL. Default `false`.
   */
  readonly tx?: boolean;
}

/** Checks the options of a handler; throws a ConfigurationError `option_invalid`. */
export function checkHandlerOptions(options: HandlerOptions, pattern: string): void {
  checkOptions(options, `the options of the handler for ${pattern}`, CHECKS);
  const { target, tx } = options;
  if (target !== undefined) checkTarget(target, pattern);
  if (target !== undefined && tx === true) {
    throw invalidOption(
      `expected the handler for ${pattern} to have tx or a target, got both: what was sent cannot be rolled back, so use two handlers`,
    );
  }
}

const CHECKS: Readonly<Record<keyof HandlerOptions, Check>> = {
  name: nonEmptyString("name the handler, or leave it out for its pattern"),
  except: (given, name) => {
    if (!Array.isArray(given))
      throw invalid(`${name} to be a list of kinds`, given, 'pass one such as ["payment.*"]');
  },
  attempts: anAttemptCount,
  target: checkedElsewhere,
  tx: aBoolean,
};

const TARGET_CHECKS: Readonly<Record<keyof TargetOptions, Check>> = {
  name: checkedElsewhere,
  maxWait: wholeNumber("milliseconds", 1),
  unordered: aBoolean,
  takes: syncFunction("pass (event) => true or false, or leave it out to take all"),
};

function checkTarget(target: TargetOptions, pattern: string): void {
  checkOptions(target, `the target of the handler for ${pattern}`, TARGET_CHECKS, "target.");
  nonEmptyString("name the target, such as its URL")(target.name, "target.name");
}
