import { counted } from "../../base/text/counted.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { eventKinds } from "../../event/kinds.ts";
import { type Output, printable } from "../output.ts";
import type { SubscriptionOutcome } from "./subscription.ts";
import { type RememberedSubscription, SUBSCRIPTIONS_FILE } from "./subscription-memory.ts";

/** Prints the result of creating a subscription, and which others deliver as well. */
export function showOutcome(outcome: SubscriptionOutcome, output: Output): void {
  const { subscription, created, mayExistTwice, others } = outcome;
  const { environment, secretFingerprint, createdAt, events } = subscription;
  const kinds =
    events.length === eventKinds.length ? `all ${events.length} kinds` : events.join(", ");
  output.data(
    `${subscription.id === null ? "(no id known)" : printable(subscription.id, 80)}  ` +
      `${printable(shownUrl(subscription.url), 500)}  ${kinds}`,
  );
  output.talk(
    created
      ? `subscribed, ${environment} environment, secret with fingerprint ${secretFingerprint}`
      : `already subscribed at ${createdAt}, so nothing was sent (--again creates another one)`,
  );
  if (mayExistTwice) {
    output.talk(
      "warning: an earlier attempt failed with status 500, so there may be two subscriptions. Check the service's administration " +
        "interface. Until one is removed, each event may arrive twice; the receiver treats the second as a duplicate",
    );
  }
  if (others.length > 0) {
    const names = others.map(({ id, url }) => id ?? shownUrl(url)).join(", ");
    output.talk(
      `warning: ${counted(others.length, "earlier subscription", "earlier subscriptions")} from this folder may deliver as well: ${printable(names, 300)}; ` +
        `remove what you no longer need in the service's administration interface, then its line in ${SUBSCRIPTIONS_FILE}`,
    );
  }
  const record = { ...shownSubscription(subscription), created, mayExistTwice };
  output.record("subscription", { ...record, others: others.map(shownSubscription) });
}

/** A subscription as the fields of a record, with the query values of its URL hidden. */
function shownSubscription(subscription: RememberedSubscription): RememberedSubscription {
  return { ...subscription, url: shownUrl(subscription.url) };
}
