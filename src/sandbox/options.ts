import { type AssumptionOptions, type Assumptions, DEFAULT_ASSUMPTIONS } from "../client/assumptions.ts";
import { defaultLogger } from "../default-logger.ts";
import { ConfigurationError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { givenOptions } from "../options/given-options.ts";
import { SIGNATURE_HEADER } from "../signature/sign.ts";
import { isTestKey } from "./api-key.ts";
import { type Chaos, type ChaosOptions, NO_CHAOS } from "./chaos.ts";
import { isHostPattern } from "./target-hosts.ts";

/** The options of a sandbox. All times are in milliseconds. What the description does not show is an assumption. */
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
  /** Delays after each failed attempt but the last; empty for no retries. Default 1 s, 5 s, 30 s, 2 m, 10 m, an assumption. */
  readonly retry?: readonly number[] | undefined;
  /** How long an endpoint, or a stream that acknowledges, may take to answer. Default 10 000, an assumption. */
  readonly answerTimeout?: number | undefined;
  /**
   * Other hosts that it may deliver to: names, `*.example.com` for subdomains, or `*` for any. Anyone who can create a
   * subscription makes this machine post to them. Default: none.
   */
  readonly targetHosts?: readonly string[] | undefined;
  /** The faults to simulate. Default: none. */
  readonly chaos?: ChaosOptions | undefined;
  /** Properties of requests that the description does not show. */
  readonly assumptions?: AssumptionOptions | undefined;
  /** Default `x-service-signature` (service description, "Authentication" 6). */
  readonly signatureHeader?: string | undefined;
  /** Any pino logger fits. Default: pino, warnings and errors, to standard error. */
  readonly log?: Logger | undefined;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Checked and frozen options, with defaults. */
export interface SandboxSettings {
  readonly port: number;
  readonly apiKey: string | undefined;
  readonly seed: number;
  readonly properties: number;
  readonly rateLimit: number;
  readonly retry: readonly number[];
  readonly answerTimeout: number;
  readonly targetHosts: readonly string[];
  readonly chaos: Chaos;
  readonly assumptions: Assumptions;
  readonly signatureHeader: string;
  readonly log: Logger;
  readonly clock: () => number;
}

/** Defaults that the description does not show. */
export const SANDBOX_DEFAULTS = {
  ...{ port: 4500, seed: 1, properties: 25, rateLimit: 600, answerTimeout: 10_000 },
  retry: [1000, 5000, 30_000, 120_000, 600_000],
} as const;

/** The longest delay of a timer. */
const MAX_DELAY = 2 ** 31 - 1;

/**
 * Applies the defaults and checks everything.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function readSandboxOptions(options: SandboxOptions): SandboxSettings {
  const settings: SandboxSettings = Object.freeze({
    ...SANDBOX_DEFAULTS,
    ...{ apiKey: undefined, targetHosts: [], signatureHeader: SIGNATURE_HEADER, clock: Date.now },
    ...givenOptions(options),
    log: options.log ?? defaultLogger(),
    chaos: Object.freeze({ ...NO_CHAOS, ...givenOptions(options.chaos ?? {}) }),
    assumptions: Object.freeze({ ...DEFAULT_ASSUMPTIONS, ...givenOptions(options.assumptions ?? {}) }),
    retry: Object.freeze([...(options.retry ?? SANDBOX_DEFAULTS.retry)]),
  });
  checkNumbers(settings);
  checkChaos(settings.chaos);
  checkAssumptions(settings.assumptions);
  const { apiKey, targetHosts } = settings;
  if (apiKey !== undefined && !isTestKey(apiKey)) refuse("apiKey", "a key that begins with sk_test_");
  if (!targetHosts.every(isHostPattern)) {
    refuse("targetHosts", "host names such as example.com, *.example.com or *");
  }
  return settings;
}

function checkNumbers({ port, seed, properties, rateLimit, answerTimeout, retry }: SandboxSettings): void {
  whole("port", port, 0, 65_535);
  whole("seed", seed, 0, 2 ** 32 - 1);
  whole("properties", properties, 0, 100_000);
  if (rateLimit !== Number.POSITIVE_INFINITY) whole("rateLimit", rateLimit, 1, 1_000_000);
  whole("answerTimeout", answerTimeout, 1, MAX_DELAY);
  for (const [index, wait] of retry.entries()) whole(`retry[${index}]`, wait, 0, MAX_DELAY);
}

function checkChaos(chaos: Chaos): void {
  for (const name of ["duplicates", "reorder", "wrongSignature"] as const) {
    if (!(chaos[name] >= 0 && chaos[name] <= 1)) refuse(`chaos.${name}`, "a probability from 0 to 1");
  }
  const [low, high] = chaos.delay;
  whole("chaos.delay[0]", low, 0, MAX_DELAY);
  whole("chaos.delay[1]", high, low, MAX_DELAY);
  whole("chaos.burst", chaos.burst, 1, 10_000);
  whole("chaos.outage", chaos.outage, 0, MAX_DELAY);
}

function checkAssumptions({ pageParameter, perPageParameter, fieldsSeparator }: Assumptions): void {
  for (const [name, value] of Object.entries({ pageParameter, perPageParameter })) {
    if (!/^[\w.[\]-]+$/.test(value) || value === "fields")
      refuse(`assumptions.${name}`, "a parameter name other than fields");
  }
  if (pageParameter === perPageParameter) refuse("assumptions", "two different parameter names");
  if (typeof fieldsSeparator !== "string" || fieldsSeparator === "" || /\w/.test(fieldsSeparator)) {
    refuse("assumptions.fieldsSeparator", "a string without letters and digits");
  }
}

function whole(name: string, value: number, low: number, high: number): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    refuse(name, `a whole number from ${low} to ${high}`);
  }
}

/** Does not print the value, since it may be a key. */
function refuse(name: string, expected: string): never {
  throw new ConfigurationError("option_invalid", `expected ${name} to be ${expected}, got something else`);
}
