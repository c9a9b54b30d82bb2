import { ownCommand } from "../../base/package/own-command.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { DEFAULT_PATH, DEFAULT_PORT } from "../../http/default-endpoint.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { endpointUrl } from "../../relay/tunnel/public-url.ts";
import { readSecrets } from "../../signature/secrets.ts";
import {
  type RememberedSubscription,
  rememberedSubscriptions,
} from "../service/subscription-memory.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import type { Setup } from "./setup.ts";

/**
 * Whether a subscription that was created from this folder leads here. The API cannot list them.
 */
export const subscription: DoctorCheck = {
  name: "subscription",
  run: async (setup) => {
    const probe = await setup.service().catch(() => undefined);
    if (probe?.environment === undefined) return [];
    const { baseUrl, environment } = probe;
    const known = rememberedSubscriptions(setup.context.io.cwd).filter(
      (subscription) =>
        subscription.baseUrl === baseUrl && subscription.environment === environment,
    );
    if (known.length === 0)
      return [ok(`none is remembered; \`${ownCommand("listen --subscribe")}\` creates one`)];
    const secrets = readSecrets((await setup.secrets())?.values ?? "none-at-all").map(
      (secret) => secret.fingerprint,
    );
    const problems = known.map((subscription) => problemOf(subscription, secrets, setup));
    const good = known.find((_, index) => problems[index] === undefined);
    if (good !== undefined) return [ok(`${nameOf(good)} leads to ${shownUrl(good.url)}`)];
    return problems.slice(-1).filter((problem) => problem !== undefined); // of the newest
  },
};

/** @param secrets - the fingerprints of those in use */
function problemOf(
  subscription: RememberedSubscription,
  secrets: readonly string[],
  setup: Setup,
): Finding | undefined {
  const name = nameOf(subscription);
  if (!secrets.includes(subscription.secretFingerprint))
    return fail(
      `${name} was created with another secret (${subscription.secretFingerprint}), so its deliveries get 401`,
      `use that secret, or create another subscription with \`${ownCommand("listen --subscribe")}\` and remove this one at the service`,
    );
  const here = endpoint(setup, new URL(subscription.url));
  if (here === undefined || new URL(subscription.url).href === here.href) return undefined;
  return warn(
    `${name} leads to ${shownUrl(subscription.url)}, not to ${shownUrl(here)}`,
    `run \`${ownCommand(`subscribe ${shellWord(shownUrl(here))}`)}\`, or change --port, --path or --public-url`,
  );
}

/** Where a subscription should lead; `undefined` if that is not known, since a tunnel decides. */
function endpoint({ options }: Setup, leads: URL): URL | undefined {
  const { port = DEFAULT_PORT, path = DEFAULT_PATH, publicUrl } = options;
  if (publicUrl !== undefined) return new URL(endpointUrl(publicUrl.href, path));
  if (!isLoopback(leads) || port === 0) return undefined;
  const here = new URL(leads);
  here.port = String(port);
  here.pathname = path;
  return here;
}

function nameOf({ id, url }: RememberedSubscription): string {
  return id ?? `the subscription of ${shownUrl(url)}`;
}
