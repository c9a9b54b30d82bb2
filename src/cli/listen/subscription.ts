import { describeError, HookporterError } from "../../errors.ts";
import { isLoopback } from "../../is-loopback.ts";
import type { CliContext } from "../context.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import type { FoundSecrets } from "../secrets/secret.ts";
import { openClient } from "../service/client.ts";
import type { ServiceOptions } from "../service/options.ts";
import { ensureSubscription } from "../service/subscription.ts";
import { currentSecret } from "../service/subscription-secret.ts";
import { checkSubscriptionUrl } from "../service/subscription-url.ts";
import { showOutcome } from "../service/subscription-view.ts";
import type { TunnelOptions } from "../tunnel/options.ts";

/** The options of a receiver that subscribes itself at the service. */
export interface ListenSubscriptionOptions extends ServiceOptions, TunnelOptions {
  readonly subscribe?: boolean;
  readonly events?: readonly string[];
}

/** A receiver's public address, and its secrets. */
export interface ReachableReceiver {
  readonly url: URL;
  readonly secrets: FoundSecrets;
  /** The name of the tunnel that the URL belongs to. */
  readonly tunnel?: string | undefined;
}

/** A requested subscription. */
export interface PlannedSubscription {
  /** Creates the subscription, unless it is remembered, and shows it. Gives up silently when `stopped` resolves. */
  create(receiver: ReachableReceiver, stopped: Promise<unknown>): Promise<void>;
  /** The same for an address that has changed: an error is only reported. */
  createElsewhere(receiver: ReachableReceiver, stopped: Promise<unknown>): Promise<void>;
}

/**
 * Plans the subscription of `--subscribe`; returns `undefined` without it. Checks address and key before anything is opened.
 *
 * @throws HookporterError `usage`; ConfigurationError for an invalid address or key
 */
export function planSubscription(
  options: ListenSubscriptionOptions,
  context: CliContext,
): PlannedSubscription | undefined {
  if (options.subscribe !== true) return undefined;
  const client = openClient(options, {}, context);
  if (options.tunnel === undefined && options.publicUrl === undefined) refuseUnreachable(client.baseUrl);
  const create: PlannedSubscription["create"] = async ({ url, secrets, tunnel }, stopped) => {
    checkSubscriptionUrl(url, client.baseUrl, context.output);
    const controller = new AbortController();
    void stopped.then(() => controller.abort());
    const { signal } = controller;
    const secret = currentSecret(secrets); // the receiver has warned about a weak one
    const wanted = { url, events: options.events, secret, tunnel, signal };
    try {
      showOutcome(await ensureSubscription(client, wanted, context), context.output);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  };
  const createElsewhere: PlannedSubscription["create"] = async (receiver, stopped) => {
    try {
      await create(receiver, stopped);
    } catch (thrown) {
      tellFailure(thrown, receiver.url, context.output);
    }
  };
  return { create, createElsewhere };
}

function refuseUnreachable(baseUrl: string): void {
  if (isLoopback(new URL(baseUrl))) return;
  throw new HookporterError(
    "usage",
    `expected --tunnel or --public-url with --subscribe, got none: ${baseUrl} cannot reach this machine`,
  );
}

function tellFailure(thrown: unknown, url: URL, output: Output): void {
  const message = describeError(thrown);
  const code = thrown instanceof HookporterError ? thrown.code : "unexpected";
  output.talk(`error: ${printable(message, 1000)}`);
  output.talk(`the service does not know this address yet; run: npx hookporter subscribe ${url.href}`);
  output.record("error", { code, message });
}
