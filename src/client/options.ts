import { type RetryOptions, type RetryPolicy, readRetry } from "../dispatch/retry.ts";
import { ConfigurationError } from "../errors.ts";
import { givenOptions } from "../options/given-options.ts";
import { type AssumptionOptions, type Assumptions, DEFAULT_ASSUMPTIONS } from "./assumptions.ts";
import { readBaseUrl } from "./base-url.ts";
import { type Credential, readCredential } from "./credential.ts";
import type { ServiceError } from "./service-error.ts";
import { sleep } from "./sleep.ts";

/** The options of a client. All times are in milliseconds. */
export interface ClientOptions {
  /** The service's base URL, without the version. The description does not show it, so there is no default. */
  readonly baseUrl: string | URL | undefined;
  /** `sk_test_…`, or `sk_live_…` together with `live` (service description, "Authentication" 2). */
  readonly apiKey?: string | undefined;
  /** Instead of `apiKey`: returns a token; called once for each attempt. Its errors are thrown unchanged. */
  readonly accessToken?: (() => string | Promise<string>) | undefined;
  /** Allows a live key, which gives access to real data. Default false. */
  readonly live?: boolean | undefined;
  /** Allows plain HTTP to another machine, with a test key. HTTP to this machine is always allowed. Default false. */
  readonly plainHttp?: boolean | undefined;
  /** How long one attempt may take, from getting the token to the last byte of the response. Default 30 seconds. */
  readonly timeout?: number | undefined;
  /** Largest response in bytes, decompressed. Default 16 MiB. */
  readonly maxAnswer?: number | undefined;
  /** When to retry a failed request. Default 4 attempts, 500 ms doubled each time up to 60 s, full jitter. */
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
export interface ClientSettings {
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly timeout: number;
  readonly maxAnswer: number;
  readonly retry: RetryPolicy;
  readonly assumptions: Assumptions;
  readonly onRetry: (notice: RetryNotice) => void;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
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

/** The longest delay of a Node timer; a longer one fires at once. */
const MAX_TIMER = 2 ** 31 - 1;
const MAX_ATTEMPTS = 20;

/**
 * Applies the defaults and refuses invalid options.
 *
 * @throws ConfigurationError `option_invalid`, `credential_missing`, `credential_invalid`
 */
export function readClientOptions(options: ClientOptions): ClientSettings {
  const baseUrl = readBaseUrl(options.baseUrl, options.plainHttp === true);
  const credential = readCredential(options);
  if (credential.environment === "live" && options.plainHttp === true && baseUrl.startsWith("http:"))
    readBaseUrl(baseUrl, false); // a live key is never sent unencrypted over a network
  const retry = readRetry(options.retry, DEFAULT_CLIENT_RETRY);
  if (retry.attempts > MAX_ATTEMPTS || retry.maxDelay > MAX_TIMER)
    throw invalid(`retry.attempts to be at most ${MAX_ATTEMPTS}, and retry.maxDelay ${MAX_TIMER}`);
  return Object.freeze({
    ...{ baseUrl, credential, retry },
    timeout: readNumber("timeout", options.timeout, MAX_TIMER),
    maxAnswer: readNumber("maxAnswer", options.maxAnswer, Number.MAX_SAFE_INTEGER),
    assumptions: readAssumptions(options.assumptions),
    onRetry: options.onRetry ?? (() => {}),
    fetch: options.fetch ?? globalThis.fetch,
    clock: options.clock ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
  });
}

function readNumber(name: keyof typeof DEFAULT_LIMITS, given: number | undefined, most: number): number {
  const value = given ?? DEFAULT_LIMITS[name];
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw invalid(`${name} to be a whole number from 1 to ${most}`);
}

function readAssumptions(given: AssumptionOptions = {}): Assumptions {
  const assumptions = { ...DEFAULT_ASSUMPTIONS, ...givenOptions(given) };
  const wrong = Object.entries(assumptions).find(([, value]) => typeof value !== "string" || value === "");
  if (wrong === undefined) return Object.freeze(assumptions);
  throw invalid(`assumptions.${wrong[0]} to be a non-empty string`);
}

function invalid(expected: string): ConfigurationError {
  return new ConfigurationError("option_invalid", `expected ${expected}`);
}
