import { eventKinds } from "../../event/kinds.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { shellWord } from "./shell-word.ts";
import type { SubscriptionOutcome } from "./subscription.ts";
import { type RememberedSubscription, SUBSCRIPTIONS_FILE } from "./subscription-memory.ts";

/** Only this many are listed; the others are counted. */
const LISTED = 5;

/** Prints the result of creating a subscription, and which others deliver as well. */
export function showOutcome(outcome: SubscriptionOutcome, output: Output): void {
  const { subscription, created, mayExistTwice, others } = outcome;
  const { environment, secretFingerprint, createdAt, state } = subscription;
  output.data(subscriptionLine(subscription));
  if (created) {
    output.talk(
      `subscribed, ${environment} environment, secret with fingerprint ${secretFingerprint}; remembered in ${SUBSCRIPTIONS_FILE}`,
    );
  } else if (state === "created") {
    output.talk(
      `already subscribed at ${createdAt}, so nothing was sent (use subscribe --again to create another one)`,
    );
  }
  if (mayExistTwice) {
    output.talk(
      "warning: an earlier attempt failed with status 500, so there may be two subscriptions. Check the service's administration " +
        "interface. Until one is removed, each event may arrive twice; the receiver treats the second as a duplicate",
    );
  }
  for (const line of warnings(others, subscription)) output.talk(line);
  const record = { ...shownSubscription(subscription), created, mayExistTwice };
  output.record("subscription", { ...record, others: others.map(shownSubscription) });
}

/** A remembered subscription as the fields of a record, with the query values of its URL hidden. */
export function shownSubscription(subscription: RememberedSubscription): RememberedSubscription {
  return { ...subscription, url: shownUrl(subscription.url) };
}

export function subscriptionLine(subscription: RememberedSubscription): string {
  const { url, events } = subscription;
  const kinds = events.length === eventKinds.length ? `all ${events.length} kinds` : events.join(", ");
  return `${nameOf(subscription)}  ${printable(shownUrl(url), 500)}  ${kinds}`;
}

function warnings(
  others: readonly RememberedSubscription[],
  current: RememberedSubscription,
): readonly string[] {
  if (others.length === 0) return [];
  const many = others.length > 1;
  const references = [...new Set(others.map(({ id, url }) => id ?? shownUrl(url)))];
  const rest = others.length - LISTED;
  return [
    `warning: ${others.length} earlier subscription${many ? "s" : ""} from this folder ${many ? "are" : "is"} still active at the service:`,
    ...others
      .slice(-LISTED)
      .map((one) => `  ${nameOf(one)}  ${printable(shownUrl(one.url), 300)}  ${stateOf(one, current)}`),
    ...(rest > 0 ? [`  and ${rest} older (subscribe --remembered shows all)`] : []),
    `  The API shows no way to remove ${many ? "them" : "it"}. Do it by hand in the service's administration interface, then:`,
    `  npx hookporter subscribe --forget ${shellWord(references.join(","))}`,
  ];
}

function stateOf(one: RememberedSubscription, current: RememberedSubscription): string {
  const about = `of ${one.createdAt}`;
  if (one.state === "unconfirmed") return `${about}, may exist: the service's response was lost or invalid`;
  if (one.url === current.url) {
    return one.secretFingerprint === current.secretFingerprint
      ? `${about}, delivers to the same URL: events may arrive twice`
      : `${about}, signed with another secret (fingerprint ${one.secretFingerprint}): its deliveries get 401 unless the receiver has both`;
  }
  const moved = one.tunnel !== null && one.tunnel === current.tunnel;
  return moved
    ? `${about}, its address no longer works: the tunnel has another one now`
    : `${about}, delivers elsewhere`;
}

function nameOf({ id }: RememberedSubscription): string {
  return id === null ? "(no id known)" : printable(id, 80);
}
