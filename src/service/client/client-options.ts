import {
  aBoolean,
  anyFunction,
  type Check,
  checkedElsewhere,
  checkOptions,
  invalid,
  MAX_TIMER,
  nonEmptyString,
  syncFunction,
  wholeNumber,
} from "../../base/options/check-options.ts";
import { givenOptions, type WithDefaults } from "../../base/options/given-options.ts";
import { type RetryOptions, type RetryPolicy, readRetry } from "../../base/options/retry.ts";
import { callUser, numberFrom, type Report, reportAsWarning } from "../../base/user-calls.ts";
import { fetchByName } from "../../http/fetch-by-name.ts";
import { type AssumptionOptions, type Assumptions, DEFAULT_ASSUMPTIONS } from "./assumptions.ts";
import { readBaseUrl } from "./base-url.ts";
import { type Credential, readCredential } from "./credential.ts";
import type { ServiceError } from "./service-error.ts";
import { sleep } from "./sleep.ts";

/** The options of a client. All times are in milliseconds. */
export interface ClientOptions {
  /**
   * The service's base URL, without the version. The description does not show it, so there is no
   * default.
   */
  readonly baseUrl: string | URL | undefined;
  /** `sk_test_…`, or `sk_live_…` together with `live` (service description, "Authentication" 2). */
  readonly apiKey?: string | undefined;
  /**
   * Instead of `apiKey`: returns a token; called once for each attempt. Its errors are thrown
   * unchanged.
   */
  readonly accessToken?: (() => string | Promise<string>) | undefined;
  /** Allows a live key, which gives access to real data. Default false. */
  readonly live?: boolean | undefined;
  /**
   * Allows plain HTTP to another machine, with a test key. HTTP to this machine is always allowed.
   * Default false.
   */
  readonly plainHttp?: boolean | undefined;
  /**
   * How long one attempt may take, from getting the token to the last byte of the response. Default
   * 30 seconds.
   */
  readonly timeout?: number | undefined;
  /** Largest response in bytes, decompressed. Default 16 MiB. */
  readonly maxAnswer?: number | undefined;
  /**
   * When to retry a failed request. Default 4 attempts, 500 ms doubled each time up to 60 s, full
   * jitter.
   */
  readonly retry?: RetryOptions | undefined;
  /** Values that the description does not show. */
  readonly assumptions?: AssumptionOptions | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Default: Node's. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds since 1970, to interpret a `Retry-After` date. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** A random number from 0 up to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Waits between attempts; must throw the signal's reason if it is aborted. Default: a timer. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/** A request that failed and will be retried. */
export interface RetryNotice {
  readonly error: ServiceError;
  /** Milliseconds until the retry. */
  readonly delay: number;
}

/** A client's checked options, with defaults. */
export interface ClientSettings
  extends WithDefaults<
    Pick<ClientOptions, "timeout" | "maxAnswer" | "onRetry" | "clock" | "random" | "sleep">
  > {
  readonly fetch: typeof fetchByName;
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly retry: RetryPolicy;
  readonly assumptions: Assumptions;
}

/** Full jitter, so that clients that failed together do not retry together. */
export const DEFAULT_CLIENT_RETRY: RetryPolicy = {
  attempts: 4,
  delay: 500,
  factor: 2,
  maxDelay: 60_000,
  jitter: 1,
};

/** The default limits. */
export const DEFAULT_LIMITS = { timeout: 30_000, maxAnswer: 16 * 1024 * 1024 };

const MAX_ATTEMPTS = 20;

const CHECKS: Readonly<Record<keyof ClientOptions, Check>> = {
  baseUrl: checkedElsewhere,
  apiKey: checkedElsewhere,
  accessToken: checkedElsewhere,
  live: aBoolean,
  plainHttp: aBoolean,
  timeout: wholeNumber("milliseconds", 1, MAX_TIMER),
  maxAnswer: wholeNumber("bytes", 1),
  retry: checkedElsewhere,
  assumptions: (given) => checkOptions(given, "assumptions", ASSUMPTION_CHECKS, "assumptions."),
  onRetry: anyFunction("pass ({ error, delay }) => …"),
  fetch: anyFunction("pass a function such as Node's fetch"),
  clock: syncFunction("pass one that returns milliseconds since 1970, such as Date.now"),
  random: syncFunction("pass one that returns a number from 0 up to 1, such as Math.random"),
  sleep: anyFunction("pass one that returns a promise, such as setTimeout of node:timers/promises"),
};
const ASSUMPTION_CHECKS: Readonly<Record<keyof Assumptions, Check>> = {
  pageParameter: nonEmptyString("name the parameter"),
  perPageParameter: nonEmptyString("name the parameter"),
  fieldsSeparator: nonEmptyString("pass one such as a comma"),
};

/**
 * Applies the defaults and refuses invalid options.
 *
 * @throws ConfigurationError `option_invalid`, `credential_missing`, `credential_invalid`
 */
export function readClientOptions(options: ClientOptions): ClientSettings {
  checkOptions(options, "the options of createClient", CHECKS);
  const baseUrl = readBaseUrl(options.baseUrl, options.plainHttp === true);
  const credential = readCredential(options);
  if (
    credential.environment === "live" &&
    options.plainHttp === true &&
    baseUrl.startsWith("http:")
  )
    readBaseUrl(baseUrl, false); // a live key is never sent unencrypted over a network
  const retry = readRetry(options.retry, DEFAULT_CLIENT_RETRY);
  checkAtMost("retry.attempts", retry.attempts, MAX_ATTEMPTS);
  checkAtMost("retry.maxDelay", retry.maxDelay, MAX_TIMER);
  return Object.freeze({
    baseUrl,
    credential,
    retry,
    timeout: options.timeout ?? DEFAULT_LIMITS.timeout,
    maxAnswer: options.maxAnswer ?? DEFAULT_LIMITS.maxAnswer,
    assumptions: Object.freeze({
      ...DEFAULT_ASSUMPTIONS,
      ...givenOptions(options.assumptions ?? {}),
    }),
    onRetry: guardedListener(
      options.onRetry ?? (() => {}),
      reportAsWarning("onRetry of the client"),
    ),
    fetch: options.fetch ?? fetchByName,
    clock: numberFrom(options.clock ?? Date.now, Date.now, reportAsWarning("clock of the client")),
    random: numberFrom(
      options.random ?? Math.random,
      Math.random,
      reportAsWarning("random of the client"),
    ),
    sleep: options.sleep ?? sleep,
  });
}

function guardedListener(listener: (notice: RetryNotice) => void, report: Report) {
  return (notice: RetryNotice) => callUser(() => listener(notice), report);
}

function checkAtMost(name: string, value: number, most: number): void {
  if (value > most) throw invalid(`${name} to be at most ${most}`, value, "pass a smaller number");
}
