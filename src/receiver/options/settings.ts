import { defaultLogger } from "../../base/default-logger.ts";
import { ConfigurationError, describeError } from "../../base/errors.ts";
import { guardedLogger } from "../../base/guarded-logger.ts";
import type { Logger } from "../../base/logger.ts";
import {
  type Check,
  checkedElsewhere,
  checkOptions,
  invalidOption,
  MAX_TIMER,
  nonEmptyString,
  oneOf,
  syncFunction,
  wholeNumber,
} from "../../base/options/check-options.ts";
import { describeValue } from "../../base/options/describe-value.ts";
import { DEFAULT_RETRY, type RetryPolicy, readRetry } from "../../base/options/retry.ts";
import { detach } from "../../base/try-or.ts";
import { numberFrom, reportTo } from "../../base/user-calls.ts";
import type { SecretOption, SecretValue } from "../../signature/secret-bytes.ts";
import { readSecrets, type Secret } from "../../signature/secrets.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { guardedTracing } from "./guarded-tracing.ts";
import {
  checkDrift,
  checkHandlersOption,
  checkHeaderName,
  checkInbox,
  checkLog,
  checkSchemas,
  checkSecret,
  checkTracing,
} from "./option-checks.ts";
import type { ReceiverOptions } from "./receiver-options.ts";
import { checkSources, limitsOf } from "./source-limits.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type GivenOptions<Name extends keyof ReceiverOptions> = {
  readonly [Option in Name]: NonNullable<ReceiverOptions[Option]>;
};

/** Options with the defaults applied, checked and frozen. What changes is in `ReceiverState`. */
export interface Settings
  extends Readonly<typeof DEFAULTS>,
    GivenOptions<"signatureHeader" | "source" | "role" | "deadLetterOrder" | "inexactNumbers">,
    GivenOptions<"log" | "clock" | "random">,
    Pick<ReceiverOptions, "identity" | "orderBy" | "tracing" | "drift"> {
  readonly secrets: () => readonly Secret[];
  readonly retry: RetryPolicy;
  /** The most entries that have not ended; `undefined` for any number. */
  readonly maxPending: number | undefined;
}

/** A receiver's name for the sender, where nothing else is said. */
export const DEFAULT_SOURCE = "service";

/** How old, how far ahead and how long, where nothing else is said. */
export const DEFAULT_AGES = {
  maxAge: 7 * DAY,
  maxSkew: 5 * MINUTE,
  retention: 30 * DAY,
  deliveryRetention: 7 * DAY,
};

export const DEFAULTS = {
  ...DEFAULT_AGES,
  /** Dead letters are kept until a person prunes them. */
  retentionDead: Number.POSITIVE_INFINITY,
  bodyLimit: 1024 * 1024,
  unverifiedLimit: 64 * 1024 * 1024,
  bodyTimeout: 10_000,
  concurrency: 10,
  handlerTimeout: 30_000,
  lease: 15_000,
  poll: 1000,
  unhandledAfter: 10 * MINUTE,
  drainTimeout: 10_000,
  walLimit: 256 * 1024 * 1024,
};

const CHECKS: Readonly<Record<keyof ReceiverOptions, Check>> = {
  secret: checkSecret,
  inbox: checkInbox,
  signatureHeader: checkHeaderName,
  source: nonEmptyString('name the sender, or leave it out for "service"'),
  role: oneOf("both", "receive", "run"),
  otherKinds: checkedElsewhere,
  schemas: checkSchemas,
  handlers: checkHandlersOption,
  identity: syncFunction(
    "pass a function that returns the id of an event, such as (event) => event.id",
  ),
  orderBy: syncFunction(
    "pass a function that returns the key of an event, such as (event) => event.webhook.id",
  ),
  deadLetterOrder: oneOf("skip", "block"),
  inexactNumbers: oneOf("keep", "reject"),
  maxAge: wholeNumber("milliseconds", 1),
  maxSkew: wholeNumber("milliseconds", 0),
  retention: wholeNumber("milliseconds", 1),
  retentionDead: wholeNumber("milliseconds", 1),
  deliveryRetention: wholeNumber("milliseconds", 0),
  bodyLimit: wholeNumber("bytes", 1),
  unverifiedLimit: wholeNumber("bytes", 1),
  bodyTimeout: wholeNumber("milliseconds", 1, MAX_TIMER),
  sources: checkSources,
  concurrency: wholeNumber("entries", 1),
  handlerTimeout: wholeNumber("milliseconds", 1, MAX_TIMER),
  retry: checkedElsewhere,
  lease: wholeNumber("milliseconds", 1, MAX_TIMER),
  poll: wholeNumber("milliseconds", 1, MAX_TIMER),
  unhandledAfter: wholeNumber("milliseconds", 0),
  drainTimeout: wholeNumber("milliseconds", 0, MAX_TIMER),
  walLimit: wholeNumber("bytes", 1),
  tracing: checkTracing,
  drift: checkDrift,
  log: checkLog,
  clock: syncFunction("pass one that returns milliseconds since 1970, such as Date.now"),
  random: syncFunction("pass one that returns a number from 0 up to 1, such as Math.random"),
};

/** Applies the defaults and refuses what cannot work, as `createReceiver` says. */
export function readOptions(options: ReceiverOptions): Settings {
  checkOptions(options, "the options of createReceiver", CHECKS);
  const log = guardedLogger(options.log ?? defaultLogger());
  const numbers = readNumbers(options);
  checkRetention(numbers);
  checkBodyLimits(numbers);
  const source = options.source ?? DEFAULT_SOURCE;
  const { concurrency = numbers.concurrency, maxPending } = limitsOf(options.sources, source);
  return Object.freeze({
    ...numbers,
    concurrency,
    maxPending,
    log,
    retry: readRetry(options.retry, DEFAULT_RETRY),
    signatureHeader: options.signatureHeader ?? SIGNATURE_HEADER,
    secrets: secretSource(options.secret, log),
    source,
    role: options.role ?? "both",
    identity: options.identity,
    orderBy: options.orderBy,
    deadLetterOrder: options.deadLetterOrder ?? "skip",
    inexactNumbers: options.inexactNumbers ?? "keep",
    tracing: options.tracing && guardedTracing(options.tracing, reportTo(log, "tracing")),
    drift: options.drift,
    clock: wholeClock(options.clock),
    random: options.random
      ? numberFrom(options.random, Math.random, reportTo(log, "random"))
      : Math.random,
  });
}

function secretSource(option: SecretOption | undefined, log: Logger): () => readonly Secret[] {
  const warned = new Set<string>();
  const warn = (message: string) => {
    if (!warned.has(message)) log.warn({}, message); // a function is asked for every delivery
    warned.add(message);
  };
  if (typeof option === "function") return () => readSecrets(returned(option), warn);
  const secrets = readSecrets(option, warn);
  return () => secrets;
}

function returned(option: () => SecretValue | readonly SecretValue[]) {
  try {
    return option();
  } catch (cause) {
    throw new Error(`expected secret to return a secret, got an error: ${describeError(cause)}`, {
      cause,
    });
  }
}

function readNumbers(options: ReceiverOptions): typeof DEFAULTS {
  const numbers = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const given = options[name];
    if (given === undefined) continue;
    numbers[name] = given;
  }
  if (options.unverifiedLimit === undefined) {
    numbers.unverifiedLimit = Math.max(numbers.unverifiedLimit, numbers.bodyLimit);
  }
  return numbers;
}

/** A replay must be a known duplicate or too old, for ever. */
function checkRetention({ retention, retentionDead, maxAge, maxSkew }: typeof DEFAULTS): void {
  if (retentionDead < retention) {
    throw new ConfigurationError(
      "retention_too_short",
      `expected retentionDead to be at least retention (${retention} ms), got ${retentionDead} ms: raise it, or lower retention`,
    );
  }
  if (retention >= maxAge + maxSkew) return;
  throw new ConfigurationError(
    "retention_too_short",
    `expected retention to be at least maxAge + maxSkew (${maxAge + maxSkew} ms), got ${retention} ms: ` +
      "raise it, or lower maxAge; otherwise a delivery could be replayed after its key was dropped",
  );
}

/** A body of any size that is allowed must fit, or it could never be received. */
function checkBodyLimits({ bodyLimit, unverifiedLimit }: typeof DEFAULTS): void {
  if (unverifiedLimit >= bodyLimit) return;
  throw invalidOption(
    `expected unverifiedLimit to be at least bodyLimit (${bodyLimit} bytes), got ${unverifiedLimit}: ` +
      "raise it, lower bodyLimit, or leave it out for the default",
  );
}

/**
 * A clock in whole milliseconds, as times are stored; throws `option_invalid` if the one given
 * fails. `Date.now` is looked up for each reading, since a test may replace it.
 */
function wholeClock(clock: (() => number) | undefined): () => number {
  return () => {
    let now: unknown;
    try {
      now = clock === undefined ? Date.now() : clock();
    } catch (cause) {
      throw noTime(`an error: ${describeError(cause)}`, { cause });
    }
    const whole = typeof now === "number" ? Math.trunc(now) : Number.NaN;
    if (!Number.isSafeInteger(whole)) {
      detach(now);
      throw noTime(describeValue(now));
    }
    return whole;
  };
}

function noTime(got: string, options?: { cause: unknown }): ConfigurationError {
  const message = `expected clock to return milliseconds since 1970, got ${got}: pass one such as Date.now`;
  return new ConfigurationError("option_invalid", message, options);
}
