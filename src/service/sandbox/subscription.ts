import { ConfigurationError } from "../../base/errors.ts";
import { isRecord } from "../../base/guards.ts";
import { type EventKind, eventKinds, isEventKind } from "../../event/kinds.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { readSecrets, type Secret } from "../../signature/secrets.ts";
import { type ApiError, invalid } from "./api-error.ts";
import { isAllowedTarget } from "./local-only.ts";

/**
 * A request to create a subscription (service description, "Webhook subscription (request to
 * create)").
 */
export interface SubscriptionRequest {
  /** As given; deliveries contain it unchanged. */
  readonly url: string;
  readonly target: URL;
  readonly events: readonly EventKind[];
  /** Deliveries to a subscription without a secret are unsigned. */
  readonly secret: Secret | undefined;
}

/** The service's registration of an endpoint. */
export interface Subscription extends SubscriptionRequest {
  /** `wh_<id>`, as in deliveries. */
  readonly id: string;
}

/**
 * A subscription as the sandbox shows it, without its secret. The description shows no such format.
 */
export interface ShownSubscription {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventKind[];
  readonly signed: boolean;
}

export interface TargetRules {
  readonly targetHosts: readonly string[];
  /**
   * The sandbox's own port: a subscription that leads back to it would cause events without end.
   */
  readonly ownPort: number;
}

/**
 * Reads the body of `POST /v1/webhooks`: `url` and `events` are required, `secret` is not (service
 * description, "Webhook subscription"). An error names the missing or invalid `field`.
 */
export function readSubscription(
  body: unknown,
  rules: TargetRules,
): SubscriptionRequest | { readonly error: ApiError } {
  if (!isRecord(body)) return { error: invalid("expected a JSON object with url and events") };
  const { url, events, secret } = body;
  const target = readTarget(url, rules);
  if ("error" in target) return target;
  if (events === undefined) return { error: invalid("events is required", "events") };
  const isKind = (kind: unknown): kind is EventKind =>
    typeof kind === "string" && isEventKind(kind);
  if (!Array.isArray(events) || events.length === 0 || !events.every(isKind))
    return {
      error: invalid(`expected events to be a list of kinds: ${eventKinds.join(", ")}`, "events"),
    };
  const key = secret === undefined ? undefined : readSecret(secret);
  if (key !== undefined && "error" in key) return key;
  return { ...target, events: [...new Set(events)], secret: key };
}

const ID_PREFIX = "wh_sandbox_";

/** The id of a sandbox's subscription, counted from 1. */
export function sandboxId(number: number): string {
  return ID_PREFIX + String(number).padStart(4, "0");
}

/** Whether a subscription belongs to a sandbox, so that it ends with it. */
export function isSandboxId(id: string | null): boolean {
  return id?.startsWith(ID_PREFIX) === true;
}

export function shownSubscription({ id, url, events, secret }: Subscription): ShownSubscription {
  return { id, url, events, signed: secret !== undefined };
}

function readTarget(
  url: unknown,
  { targetHosts, ownPort }: TargetRules,
): { readonly url: string; readonly target: URL } | { readonly error: ApiError } {
  const refuse = (message: string) => ({ error: invalid(message, "url") });
  if (url === undefined) return refuse("url is required");
  const target = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    return refuse("expected url to be an http or https URL");
  if (target.username !== "" || target.password !== "")
    return refuse("expected url to be without a user name and password");
  if (!isAllowedTarget(target, targetHosts))
    return refuse(
      `expected url to lead to this machine, got ${target.hostname}: allow that host with targetHosts`,
    );
  if (isLoopback(target) && target.port === String(ownPort))
    return refuse("expected url to lead to a receiver, got the sandbox itself");
  return { url: String(url), target };
}

function readSecret(given: unknown): Secret | { error: ApiError } {
  const wrong = { error: invalid("expected secret to be a non-empty string", "secret") };
  if (typeof given !== "string") return wrong;
  try {
    return readSecrets(given)[0] ?? wrong;
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return wrong;
    throw thrown;
  }
}
