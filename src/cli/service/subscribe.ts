import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { findSecrets } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { resolveOptionConflicts } from "../settings/fitting.ts";
import { openClient } from "./client.ts";
import { SERVICE_FITS, type ServiceOptions } from "./service-options.ts";
import { checkSubscriptionUrl, currentSecret, ensureSubscription } from "./subscription.ts";
import { showOutcome } from "./subscription-view.ts";

export interface SubscribeOptions extends ServiceOptions, SecretOptions {
  readonly events?: readonly string[];
  readonly again?: boolean;
  readonly timeout?: number;
}

/** `subscribe <url>`: creates a subscription, unless the same one was created from this folder. */
export async function runSubscribe(
  url: URL,
  given: SubscribeOptions,
  command: Command,
  context: CliContext,
) {
  const options = resolveOptionConflicts(given, command, SERVICE_FITS);
  const { events, again, timeout } = options;
  const { output } = context;
  const client = openClient(options, { timeout }, context);
  checkSubscriptionUrl(url, client.baseUrl, output);
  const found = await findSecrets(context, options);
  const secret = currentSecret(found, (warning) => output.talk(`warning: ${warning}`));
  showOutcome(await ensureSubscription(client, { url, events, secret, again }, context), output);
}
