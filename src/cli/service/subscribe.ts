import type { Command } from "commander";
import { HookporterError } from "../../errors.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { CliContext } from "../context.ts";
import type { SecretOptions } from "../secrets/options.ts";
import { withoutSettings } from "../settings/config.ts";
import { fitOptions } from "../settings/fitting.ts";
import { openClient } from "./client.ts";
import { SERVICE_FITS, type ServiceOptions } from "./options.ts";
import { ensureSubscription } from "./subscription.ts";
import { type RememberedSubscription, SubscriptionMemory } from "./subscription-memory.ts";
import { findOrMakeSecret } from "./subscription-secret.ts";
import { checkSubscriptionUrl } from "./subscription-url.ts";
import { shownSubscription, showOutcome, subscriptionLine } from "./subscription-view.ts";
import { unconfirmedMessage } from "./unconfirmed.ts";

/** The options of `subscribe`. */
export interface SubscribeOptions extends ServiceOptions, SecretOptions {
  readonly events?: readonly string[];
  readonly again?: boolean;
  readonly remembered?: boolean;
  readonly forget?: readonly string[];
  readonly confirm?: readonly string[];
  readonly timeout?: number;
}

/** `subscribe [url]`: creates a subscription, or lists those created from this folder, or confirms or forgets some. */
export async function runSubscribe(
  url: URL | undefined,
  given: SubscribeOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const kept =
    url === undefined ? given : withoutSettings(given, command, ["remembered", "forget", "confirm"]);
  const options = fitOptions(kept, command, SERVICE_FITS);
  const { remembered, forget, confirm } = options;
  const asked = [
    url !== undefined && "a URL",
    remembered === true && "--remembered",
    forget !== undefined && "--forget",
    confirm !== undefined && "--confirm",
  ];
  const found = asked.filter((one) => one !== false);
  if (found.length !== 1) {
    const got = found.length === 0 ? "none" : found.join(" and ");
    throw new HookporterError(
      "usage",
      `expected one of a URL, --remembered, --forget and --confirm, got ${got}`,
    );
  }
  if (url !== undefined) await create(url, options, context);
  else if (forget !== undefined) forgetSome(forget, context);
  else if (confirm !== undefined) confirmSome(confirm, context);
  else listAll(context);
}

async function create(url: URL, options: SubscribeOptions, context: CliContext): Promise<void> {
  const { events, again, timeout } = options;
  const client = openClient(options, { timeout }, context);
  checkSubscriptionUrl(url, client.baseUrl, context.output);
  const secret = await findOrMakeSecret(context, options);
  const outcome = await ensureSubscription(client, { url, events, secret, again }, context);
  showOutcome(outcome, context.output);
  const { subscription } = outcome;
  if (subscription.state === "unconfirmed")
    throw new HookporterError("subscription_unconfirmed", unconfirmedMessage(subscription));
}

function listAll({ io, output }: CliContext): void {
  const { all } = new SubscriptionMemory(io.cwd);
  for (const one of all) {
    const state = one.state === "created" ? "" : "  may exist: the service's response was lost or invalid";
    output.data(`${subscriptionLine(one)}  ${one.createdAt}  ${one.environment}  ${one.baseUrl}${state}`);
    output.record("subscription", shownSubscription(one));
  }
  output.talk(`${all.length} remembered, created from this folder; the API has no way to list them`);
}

function confirmSome(references: readonly string[], { io, output }: CliContext): void {
  const memory = new SubscriptionMemory(io.cwd);
  const unconfirmed = memory.all.filter(({ state }) => state === "unconfirmed");
  for (const one of choose(references, unconfirmed, "an unconfirmed subscription")) {
    const confirmed = { ...one, state: "created" } as const;
    memory.replace(one, confirmed);
    output.data(`confirmed: ${subscriptionLine(confirmed)}`);
    output.record("subscription", shownSubscription(confirmed));
  }
}

function forgetSome(references: readonly string[], { io, output }: CliContext): void {
  const memory = new SubscriptionMemory(io.cwd);
  for (const one of choose(references, memory.all, "a remembered subscription")) {
    memory.forget(one);
    output.data(`forgotten: ${subscriptionLine(one)}`);
    output.record("forgotten", shownSubscription(one));
  }
  output.talk("forgotten only here: subscriptions that the service still has keep delivering");
}

/** The subscriptions with these ids or URLs. */
function choose(
  references: readonly string[],
  all: readonly RememberedSubscription[],
  what: string,
): ReadonlySet<RememberedSubscription> {
  const chosen = references.map((reference) => {
    const address = URL.canParse(reference) ? new URL(reference).href : undefined;
    // The whole URL, or the form that is shown.
    const found = all.filter(
      ({ id, url }) => id === reference || url === address || shownUrl(url) === reference,
    );
    if (found.length > 0) return found;
    const known = [...new Set(all.map(({ id, url }) => id ?? shownUrl(url)))].join(", ");
    throw new HookporterError(
      "usage",
      `expected the id or the URL of ${what}, got ${JSON.stringify(reference)}: there are ${known || "none"}`,
    );
  });
  return new Set(chosen.flat());
}
