import { defaultLogger } from "../../base/default-logger.ts";
import { guardedLogger } from "../../base/guarded-logger.ts";
import type { Logger } from "../../base/logger.ts";
import {
  aNumber,
  type Check,
  checkedElsewhere,
  checkOptions,
  invalid,
  MAX_TIMER,
  syncFunction,
  wholeNumber,
} from "../../base/options/check-options.ts";
import { givenOptions, type WithDefaults } from "../../base/options/given-options.ts";
import { type RetryOptions, type RetryPolicy, readRetry } from "../../base/options/retry.ts";
import { numberFrom, reportTo } from "../../base/user-calls.ts";
import { checkHeaderName, checkLog } from "../../receiver/options/option-checks.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { type Chaos, type ChaosOptions, NO_CHAOS } from "./chaos.ts";
import { isHostPattern } from "./local-only.ts";

/**
 * The options of a sandbox. All times are in milliseconds. What the description does not show is an
 * assumption.
 */
export interface SandboxOptions {
  /** Port on 127.0.0.1, or 0 for any free port. Default 4500. */
  readonly port?: number | undefined;
  /** The only API key to accept; must begin with `sk_test_`. Default: every such key. */
  readonly apiKey?: string | undefined;
  /** Random seed for the portfolio and chaos, from 0. Default 1. */
  readonly seed?: number | undefined;
  /** Number of properties in the portfolio, from 0. Default 25. */
  readonly properties?: number | undefined;
  /** Requests to `/v1` per minute and key; `Infinity` for no limit. Default 600, an assumption. */
  readonly rateLimit?: number | undefined;
  /**
   * When a failed delivery is sent again. Default: 6 attempts, from 1 second to 10 minutes apart,
   * an assumption.
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * How long an endpoint, or a stream that acknowledges, may take to answer. Default 10 000, an
   * assumption.
   */
  readonly answerTimeout?: number | undefined;
  /**
   * Other hosts that it may deliver to: names, `*.example.com` for subdomains, or `*` for any.
   * Anyone who can create a subscription makes this machine post to them. Default: none.
   */
  readonly targetHosts?: readonly string[] | undefined;
  /** The faults to simulate. Default: none. */
  readonly chaos?: ChaosOptions | undefined;
  /** Default `x-service-signature` (service description, "Authentication" 6). */
  readonly signatureHeader?: string | undefined;
  /** Any pino logger fits. Default: pino, warnings and errors, to standard error. */
  readonly log?: Logger | undefined;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Checked and frozen options, with defaults. */
export interface SandboxSettings
  extends WithDefaults<Omit<SandboxOptions, "apiKey" | "retry" | "chaos">> {
  readonly apiKey: string | undefined;
  readonly retry: RetryPolicy;
  readonly chaos: Chaos;
}

/** Defaults that the description does not show. */
export const SANDBOX_DEFAULTS = {
  port: 4500,
  seed: 1,
  properties: 25,
  rateLimit: 600,
  answerTimeout: 10_000,
  retry: { attempts: 6, delay: 1000, factor: 5, maxDelay: 600_000, jitter: 0 },
} as const;

const whole = (from: number, to: number) =>
  aNumber(`a whole number from ${from} to ${to}`, (value) => {
    return Number.isInteger(value) && value >= from && value <= to;
  });
const probability = aNumber("a probability from 0 to 1", (value) => value >= 0 && value <= 1);
const milliseconds = wholeNumber("milliseconds", 0, MAX_TIMER);

const CHECKS: Readonly<Record<keyof SandboxOptions, Check>> = {
  port: whole(0, 65_535),
  apiKey: checkApiKey,
  seed: whole(0, 2 ** 32 - 1),
  properties: whole(0, 100_000),
  rateLimit: aNumber("a whole number from 1 to 1000000, or Infinity for no limit", (value) => {
    return (
      value === Number.POSITIVE_INFINITY ||
      (Number.isInteger(value) && value >= 1 && value <= 1_000_000)
    );
  }),
  retry: checkedElsewhere,
  answerTimeout: wholeNumber("milliseconds", 1, MAX_TIMER),
  targetHosts: checkHosts,
  chaos: (given) => checkOptions(given, "chaos", CHAOS_CHECKS, "chaos."),
  signatureHeader: checkHeaderName,
  log: checkLog,
  clock: syncFunction("pass one that returns milliseconds since 1970, such as Date.now"),
};
const CHAOS_CHECKS: Readonly<Record<keyof Chaos, Check>> = {
  duplicates: probability,
  delay: checkRange,
  wrongSignature: probability,
  outage: milliseconds,
};

/**
 * Applies the defaults and checks everything.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function readSandboxOptions(options: SandboxOptions): SandboxSettings {
  checkOptions(options, "the options of startSandbox", CHECKS);
  const log = guardedLogger(options.log ?? defaultLogger());
  return Object.freeze({
    ...SANDBOX_DEFAULTS,
    apiKey: undefined,
    targetHosts: [],
    signatureHeader: SIGNATURE_HEADER,
    ...givenOptions(options),
    log,
    clock: numberFrom(options.clock ?? Date.now, Date.now, reportTo(log, "clock")),
    chaos: Object.freeze({ ...NO_CHAOS, ...givenOptions(options.chaos ?? {}) }),
    retry: Object.freeze(readRetry(options.retry, SANDBOX_DEFAULTS.retry)),
  });
}

/** The key itself is not shown. */
function checkApiKey(given: unknown, name: string): void {
  if (typeof given === "string" && /^sk_test_[\x21-\x7e]+$/.test(given)) return;
  throw invalid(
    `${name} to be a key that begins with sk_test_`,
    given,
    "pass one, or leave it out for any",
  );
}

function checkHosts(given: unknown, name: string): void {
  if (!Array.isArray(given))
    throw invalid(`${name} to be a list of host names`, given, "pass such a list");
  const fix = "pass one such as example.com, *.example.com or *";
  for (const [index, item] of given.entries())
    if (!isHostPattern(item)) throw invalid(`${name}[${index}] to be a host name`, item, fix);
}

function checkRange(given: unknown, name: string): void {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const [low, high] = list;
  if (list.length !== 2)
    throw invalid(`${name} to be two numbers`, given, "pass one such as [0, 1000]");
  milliseconds(low, `${name}[0]`);
  wholeNumber("milliseconds", Number(low), MAX_TIMER)(high, `${name}[1]`);
}
