import { describeError, HookporterError } from "../../base/errors.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { trimEndOf } from "../../base/text/trim-end.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import type { Client } from "../../service/client/client.ts";
import { ServiceError } from "../../service/client/service-error.ts";
import { isSandboxId } from "../../service/sandbox/subscription.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { CliContext } from "../context.ts";
import { makeStateFolder } from "../files/state-folder.ts";
import { usageError } from "../input-errors.ts";
import type { Output } from "../output.ts";
import type { FoundSecrets } from "../secrets/secret.ts";
import {
  type RememberedSubscription,
  remember,
  rememberedSubscriptions,
} from "./subscription-memory.ts";

/** The secret that the service should sign with. */
export interface SubscriptionSecret {
  readonly value: string;
  /** Safe to show. */
  readonly fingerprint: string;
}

export interface WantedSubscription {
  readonly url: URL;
  /** Kinds and families. Default: all 12 kinds. */
  readonly events?: readonly string[] | undefined;
  readonly secret: SubscriptionSecret;
  /** The name of the tunnel that the URL belongs to. */
  readonly tunnel?: string | undefined;
  /** Create another one even if it is remembered. */
  readonly again?: boolean | undefined;
  /** Aborts the creation; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface SubscriptionOutcome {
  readonly subscription: RememberedSubscription;
  /** False if it was remembered, so that nothing was sent. */
  readonly created: boolean;
  /** Whether an earlier attempt may have created another one. */
  readonly mayExistTwice: boolean;
  /**
   * Other remembered subscriptions for the same service and data, oldest first: they deliver as
   * well.
   */
  readonly others: readonly RememberedSubscription[];
}

/**
 * Creates a subscription, unless it is remembered. A sandbox loses its subscriptions when it ends,
 * and does not create one twice, so those are not remembered. Throws ServiceError, which says so if
 * the subscription may exist; `input_invalid` if the memory is damaged.
 */
export async function ensureSubscription(
  client: Client,
  { url, events: patterns = ["*"], secret, tunnel, again, signal }: WantedSubscription,
  { io, clock, output }: CliContext,
): Promise<SubscriptionOutcome> {
  const { baseUrl, environment } = client;
  const events = eventKinds.filter((kind) =>
    patterns.some((pattern) => matchesKind(pattern, kind)),
  );
  makeStateFolder(io.cwd); // before anything is sent that could not be remembered
  const known = rememberedSubscriptions(io.cwd).filter((subscription) => {
    return subscription.baseUrl === baseUrl && subscription.environment === environment;
  });
  const same = known.findLast((subscription) => {
    const sameSecret = subscription.secretFingerprint === secret.fingerprint;
    return (
      subscription.url === url.href && sameSecret && subscription.events.join() === events.join()
    );
  });
  if (same !== undefined && again !== true) {
    const others = known.filter((subscription) => subscription !== same);
    return { subscription: same, created: false, mayExistTwice: false, others };
  }
  const creation = client.webhooks.create({ url, events, secret: secret.value, signal });
  const { id = null, mayExistTwice } = await creation.catch((thrown: unknown) => {
    throw withFate(thrown);
  });
  const subscription = {
    id,
    url: url.href,
    events: [...events],
    baseUrl,
    environment,
    secretFingerprint: secret.fingerprint,
    tunnel: tunnel ?? null,
    createdAt: new Date(clock()).toISOString(),
  };
  try {
    if (!isSandboxId(id)) remember(io.cwd, subscription);
  } catch (thrown) {
    output.talk(
      `warning: ${describeError(thrown)}; note the id, since this subscription is not remembered`,
    );
  }
  return { subscription, created: true, mayExistTwice, others: known };
}

/** The same error, with what it means for the subscription. */
function withFate(thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError) || !thrown.mayHaveHappened) return thrown;
  const message =
    `${thrown.message}; the subscription may exist all the same: ` +
    "look it up in the service's administration interface before you create it again";
  return new ServiceError({ ...thrown, message, cause: thrown.cause }, thrown.attempts);
}

/**
 * The current one of several secrets. The service gets its text, not the bytes it is decoded to.
 * Throws `secret_invalid` for bytes that are not text; `secret_empty`.
 */
export function currentSecret(
  { values: [first], texts: [text] }: FoundSecrets,
  warn: (message: string) => void = () => {},
): SubscriptionSecret {
  const [secret] = readSecrets(first, warn);
  if (text === undefined)
    throw new HookporterError(
      "secret_invalid",
      "expected a secret that is text, since the service takes a string, got bytes that are not UTF-8: " +
        "pass them in hex or base64, and set HOOKPORTER_SECRET_ENCODING to that",
    );
  const value = trimEndOf(text, "\r\n"); // as the receiver does
  return { value, fingerprint: secret?.fingerprint ?? "" };
}

/**
 * Checks whether the service can deliver to a URL, judging by its name. Throws `usage` for this
 * machine, unless the service runs here too.
 */
export function checkSubscriptionUrl(url: URL, baseUrl: string, output: Output): void {
  if (url.hash !== "")
    throw usageError("expected a URL without a fragment, got one: remove the part after #");
  if (isLoopback(url) && !isLoopback(new URL(baseUrl)))
    throw usageError(
      `expected a URL that the service can reach, got this machine: ${shownUrl(url)} ` +
        "(a tunnel provides a public address)",
    );
  if (url.protocol === "http:" && !isLoopback(url))
    output.talk(
      "warning: plain HTTP lets others read deliveries on the way; the service recommends HTTPS",
    );
}
