import { type RetryPolicy, readRetry } from "../dispatch/retry.ts";
import { ConfigurationError } from "../errors.ts";
import { type Assumptions, DEFAULT_ASSUMPTIONS } from "./assumptions.ts";
import { readBaseUrl } from "./base-url.ts";
import { type Credential, readCredential } from "./credential.ts";
import type { ServiceError } from "./service-error.ts";
import { sleep } from "./sleep.ts";

/** How a client is set up. All times are milliseconds. */
export interface ClientOptions {
  /** The service's base address, without the version; the description does not show it, so there is no default. */
  readonly baseUrl: string | URL | undefined;
  /** `sk_test_…`, or `sk_live_…` together with `live` (service description, "Authentication" 2). */
  readonly apiKey?: string | undefined;
  /** In place of `apiKey`: gives a token, asked once for each attempt. What it throws goes through unchanged. */
  readonly accessToken?: (() => string | Promise<string>) | undefined;
  /** Lets a live key through, which opens real data. Default false. */
  readonly live?: boolean | undefined;
  /** Lets plain http through to another machine, for a test key. Default false; http to this machine needs nothing. */
  readonly plainHttp?: boolean | undefined;
  /** How long one attempt may take, from the token to the answer's last byte. Default 30 seconds. */
  readonly timeout?: number | undefined;
  /** Largest answer in bytes, unpacked. Default 16 MiB. */
  readonly maxAnswer?: number | undefined;
  /** When a failed request is sent again. Default 4 attempts, 500 ms doubled each time up to 60 s, full jitter. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** What the description does not show. */
  readonly assumptions?: Partial<Assumptions> | undefined;
  /** Told before each wait. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Default: the one of Node. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds since 1970, to read a `Retry-After` that is a date. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** From 0 up to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Waits between attempts; must throw the signal's reason when it is aborted. Default: a timer. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/** A request that failed and will be sent again. */
export interface RetryNotice {
  readonly error: ServiceError;
  /** Milliseconds until then. */
  readonly delay: number;
}

/** A client's options with their defaults, checked. */
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

/** Full jitter: clients that failed together do not come back together. */
export const DEFAULT_CLIENT_RETRY: RetryPolicy = {
  attempts: 4,
  delay: 500,
  factor: 2,
  maxDelay: 60_000,
  jitter: 1,
};

/** Numbers where nothing else is said. */
export const DEFAULT_LIMITS = { timeout: 30_000, maxAnswer: 16 * 1024 * 1024 };

/** The longest a timer of Node waits; anything longer fires at once. */
const MAX_TIMER = 2 ** 31 - 1;
const MAX_ATTEMPTS = 20;

/**
 * Applies the defaults and refuses what cannot work.
 *
 * @throws ConfigurationError `option_invalid`, `credential_missing`, `credential_invalid`
 */
export function readClientOptions(options: ClientOptions): ClientSettings {
  const baseUrl = readBaseUrl(options.baseUrl, options.plainHttp === true);
  const credential = readCredential(options);
  if (credential.environment === "live" && options.plainHttp === true && baseUrl.startsWith("http:"))
    readBaseUrl(baseUrl, false); // a live key never crosses a network in the clear
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

function readAssumptions(given: Partial<Assumptions> = {}): Assumptions {
  const assumptions = { ...DEFAULT_ASSUMPTIONS, ...given };
  const wrong = Object.entries(assumptions).find(([, value]) => typeof value !== "string" || value === "");
  if (wrong === undefined) return Object.freeze(assumptions);
  throw invalid(`assumptions.${wrong[0]} to be a text that is not empty`);
}

function invalid(expected: string): ConfigurationError {
  return new ConfigurationError("option_invalid", `expected ${expected}`);
}
