import { shownUrl } from "../../text/shown-url.ts";
import { shellWord } from "./shell-word.ts";
import type { RememberedSubscription } from "./subscription-memory.ts";

/** Why a subscription that may exist was not created. */
export function unconfirmedMessage(subscription: RememberedSubscription): string {
  return (
    `expected the subscription to be new, got one of ${subscription.createdAt} that may exist, since the service's response ` +
    `was lost or invalid: nothing was sent: ${whatToDo(subscription)}`
  );
}

/** What to do about a subscription that may exist. The API shows no way to find out. */
export function whatToDo(subscription: RememberedSubscription): string {
  const url = shellWord(shownUrl(subscription.url));
  return (
    "look it up in the service's administration interface, then run npx hookporter subscribe with " +
    `--confirm ${url} if it is there, or --forget ${url} if it is not (--again creates another one)`
  );
}
