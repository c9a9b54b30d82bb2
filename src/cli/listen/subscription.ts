import type { RetryNotice } from "../../client/options.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { openClient, retryLine } from "../service/client.ts";
import type { ListenOptions } from "./options.ts";
import { Subscribing } from "./subscribing.ts";

/**
 * Plans the subscription of `--subscribe`; returns `undefined` without it. Checks address and key before anything is
 * opened. Throws `usage`; ConfigurationError for an invalid address or key.
 */
export function planSubscription(options: ListenOptions, context: CliContext) {
  if (options.subscribe !== true) return undefined;
  const onRetry = (notice: RetryNotice) => {
    if (!subscribing.waiting) context.output.talk(retryLine(notice)); // later, only a new reason is printed
  };
  const client = openClient(options, { onRetry }, context);
  if (options.tunnel === undefined && options.publicUrl === undefined) refuseUnreachable(client.baseUrl);
  const subscribing = new Subscribing(client, options.events, context);
  return subscribing;
}

function refuseUnreachable(baseUrl: string): void {
  if (isLoopback(new URL(baseUrl))) return;
  throw usageError(
    `expected --tunnel or --public-url with --subscribe, got none: ${baseUrl} cannot reach this machine`,
  );
}
