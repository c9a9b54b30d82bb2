import { describeError, HookporterError } from "../../base/errors.ts";
import { type RetryPolicy, retryDelay } from "../../base/options/retry.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import type { Client } from "../../service/client/client.ts";
import type { RetryNotice } from "../../service/client/client-options.ts";
import { readNetworkFailure } from "../../service/client/network-failure.ts";
import { ServiceError } from "../../service/client/service-error.ts";
import { sleep } from "../../service/client/sleep.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { printable } from "../output.ts";
import type { FoundSecrets } from "../secrets/secret.ts";
import { openClient, retryLine } from "../service/client.ts";
import {
  checkSubscriptionUrl,
  currentSecret,
  ensureSubscription,
  type WantedSubscription,
} from "../service/subscription.ts";
import { showOutcome } from "../service/subscription-view.ts";
import type { ListenOptions } from "./listen-options.ts";

type ReachableReceiver = Pick<WantedSubscription, "url" | "tunnel"> & {
  readonly secrets: FoundSecrets;
};

/** When to try again to reach the service: for ever, since without it no delivery comes. */
export const UNTIL_IT_IS_UP: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 1000,
  factor: 2,
  maxDelay: 60_000,
  jitter: 0.5,
};

/**
 * Keeps the service informed of a receiver's address: creates a subscription for each new one, and
 * waits for a service that is not up.
 */
export class Subscribing {
  readonly #client: Client;
  readonly #events: readonly string[] | undefined;
  readonly #context: CliContext;
  /** Whether the service knows the current address, or may know it. */
  known = false;
  /** Whether the service could not be reached, so that another attempt follows. */
  waiting = false;
  /** Aborted when there is a newer address. */
  #turn = new AbortController();

  constructor(client: Client, events: readonly string[] | undefined, context: CliContext) {
    this.#client = client;
    this.#events = events;
    this.#context = context;
  }

  /**
   * Creates the subscription, unless it is remembered, and shows it. Tries again until the service
   * can be reached, there is a newer address, or `stopped` resolves. Resolves too if the
   * subscription may exist, which it reports. Throws ServiceError if the service refuses.
   */
  async create(
    { url, secrets, tunnel }: ReachableReceiver,
    stopped: Promise<unknown>,
  ): Promise<void> {
    const { output } = this.#context;
    this.#turn.abort();
    const turn = new AbortController();
    this.#turn = turn;
    this.known = false;
    this.waiting = false;
    checkSubscriptionUrl(url, this.#client.baseUrl, output);
    const stop = new AbortController();
    void stopped.then(() => {
      stop.abort();
      turn.abort();
    });
    const secret = currentSecret(secrets); // the receiver has warned about a weak one
    const wanted = { url, events: this.#events, secret, tunnel, signal: stop.signal };
    let reported: string | undefined;
    for (let attempt = 1; !turn.signal.aborted; attempt++) {
      const failure = await this.#ensure(wanted);
      if (stop.signal.aborted || this.#turn !== turn) return;
      this.waiting = failure !== undefined;
      this.known = failure === undefined;
      if (failure === undefined) return;
      const backOff = retryDelay(attempt, UNTIL_IT_IS_UP, Math.random()) ?? 0;
      const delay = Math.max(failure.retryAfter ?? 0, backOff);
      reported = this.#reportWaiting(failure, url, delay, reported);
      await sleep(delay, turn.signal).catch(() => {}); // aborted: the loop ends
    }
  }

  /** The same for an address that has changed: a refusal is only reported. */
  async createElsewhere(receiver: ReachableReceiver, stopped: Promise<unknown>): Promise<void> {
    try {
      await this.create(receiver, stopped);
    } catch (thrown) {
      this.#reportError(thrown);
      this.#context.output.talk(
        "no deliveries will arrive: the service does not know this address; " +
          `run: ${ownCommand(`subscribe ${shellWord(shownUrl(receiver.url))}`)}`,
      );
    }
  }

  /**
   * Makes sure that it exists, or may exist. Returns the error if it certainly does not, and trying
   * again can help.
   */
  async #ensure(wanted: WantedSubscription): Promise<ServiceError | undefined> {
    try {
      showOutcome(
        await ensureSubscription(this.#client, wanted, this.#context),
        this.#context.output,
      );
      return undefined;
    } catch (thrown) {
      if (wanted.signal?.aborted) return undefined;
      if (!(thrown instanceof ServiceError)) throw thrown;
      if (thrown.mayHaveHappened) this.#reportError(thrown);
      else if (mayPass(thrown)) return thrown;
      else throw thrown;
      return undefined;
    }
  }

  #reportError(thrown: unknown): void {
    const { output } = this.#context;
    const message = describeError(thrown);
    const code = thrown instanceof HookporterError ? thrown.code : "unexpected";
    output.talk(`error: ${printable(message, 1000)}`);
    const mayHaveHappened = thrown instanceof ServiceError ? thrown.mayHaveHappened : null;
    output.record("error", { code, message, mayHaveHappened });
  }

  /** Prints a line for each new reason, and a record for each wait. */
  #reportWaiting(
    { code, message }: ServiceError,
    url: URL,
    delay: number,
    reported: string | undefined,
  ): string {
    const { output } = this.#context;
    output.record("subscribing", { url: shownUrl(url), code, message, delay });
    if (message === reported) return reported;
    output.talk(
      "no deliveries will arrive until the service knows this address: " +
        `${printable(message, 500)}; trying again in ${(delay / 1000).toFixed(1)} s, then at growing intervals`,
    );
    return message;
  }
}

/**
 * Plans the subscription of `--subscribe`. Checks address and key before anything is opened. Throws
 * `usage`; ConfigurationError for an invalid address or key.
 */
export function planSubscription(options: ListenOptions, context: CliContext): Subscribing {
  const onRetry = (notice: RetryNotice) => {
    // later, only a new reason is printed
    if (!subscribing.waiting) context.output.talk(retryLine(notice));
  };
  const client = openClient(options, { onRetry }, context);
  const { baseUrl } = client;
  if (
    options.tunnel === undefined &&
    options.publicUrl === undefined &&
    !isLoopback(new URL(baseUrl))
  )
    throw usageError(
      `expected --tunnel or --public-url with --subscribe, got none: ${baseUrl} cannot reach this machine`,
    );
  const subscribing = new Subscribing(client, options.events, context);
  return subscribing;
}

/** Whether the service may take the same request later. */
function mayPass({ code, cause }: ServiceError): boolean {
  if (code === "service_unreachable") return readNetworkFailure(cause).mayPass;
  return code === "service_rate_limited" || code === "service_timeout";
}
