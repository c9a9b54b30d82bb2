import type { Client } from "../../client/client.ts";
import { ServiceError } from "../../client/service-error.ts";
import type { CreatedSubscription } from "../../client/webhooks.ts";
import { HookporterError } from "../../errors.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { type EventKind, eventKinds } from "../../event/kinds.ts";
import type { CliContext } from "../context.ts";
import { lostBySandbox } from "./sandbox-subscriptions.ts";
import { type RememberedSubscription, SubscriptionMemory } from "./subscription-memory.ts";
import type { SubscriptionSecret } from "./subscription-secret.ts";

/** A subscription that is wanted. */
export interface WantedSubscription {
  /** Where the service is to deliver to. */
  readonly url: URL;
  /** Kinds and families. Default: all 12 kinds. */
  readonly events?: readonly string[] | undefined;
  readonly secret: SubscriptionSecret;
  /** The tunnel that the URL belongs to, by its name. */
  readonly tunnel?: string | undefined;
  /** Create another one even though it is remembered. */
  readonly again?: boolean | undefined;
  /** Ends it; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** What became of it. */
export interface SubscriptionOutcome {
  readonly subscription: RememberedSubscription;
  /** False where it was remembered, so that nothing was sent. */
  readonly created: boolean;
  /** An earlier attempt may have made another one. */
  readonly mayExistTwice: boolean;
  /** The others that are remembered for the same service and data, oldest first: they deliver as well. */
  readonly others: readonly RememberedSubscription[];
}

/**
 * Creates a subscription, unless the same is remembered. It is written down before it is asked for: should this process
 * die meanwhile, or no answer come, it is known that there may be one.
 *
 * @throws ServiceError; HookporterError `input_invalid` where the memory is damaged
 */
export async function ensureSubscription(
  client: Client,
  wanted: WantedSubscription,
  { io, clock }: CliContext,
): Promise<SubscriptionOutcome> {
  const memory = new SubscriptionMemory(io.cwd);
  const events = chosenKinds(wanted.events);
  const { baseUrl, environment } = client;
  const plan: RememberedSubscription = {
    ...{ id: null, state: "unconfirmed", url: wanted.url.href, events, baseUrl, environment },
    secretFingerprint: wanted.secret.fingerprint,
    tunnel: wanted.tunnel ?? null,
    createdAt: new Date(clock()).toISOString(),
  };
  const others = await rememberedAt(client, memory);
  const known = others.findLast((one) => one.state === "created" && wouldDoTheSame(one, plan));
  if (known !== undefined && wanted.again !== true) {
    const rest = others.filter((one) => one !== known);
    return { subscription: known, created: false, mayExistTwice: false, others: rest };
  }
  memory.add(plan);
  const made = await create(client, wanted, events).catch((thrown: unknown) => {
    if (!mayHaveHappened(thrown)) memory.forget(plan);
    throw thrown;
  });
  const subscription = { ...plan, id: made.id ?? null, state: "created" } as const;
  if (made.mayExistTwice)
    memory.add(subscription); // the other one stays unconfirmed
  else memory.replace(plan, subscription);
  return { subscription, created: true, mayExistTwice: made.mayExistTwice, others };
}

function create(
  { webhooks }: Client,
  { url, secret, signal }: WantedSubscription,
  events: readonly EventKind[],
): Promise<CreatedSubscription> {
  return webhooks.create({ url, events, secret: secret.value, signal });
}

/** Whether the service may have done it all the same; an abort does not say how far it came. */
function mayHaveHappened(thrown: unknown): boolean {
  return thrown instanceof ServiceError ? thrown.mayHaveHappened : !(thrown instanceof HookporterError);
}

/** What is remembered for the same service and data, without what a sandbox has lost: that is forgotten. */
async function rememberedAt(
  { baseUrl, environment }: Client,
  memory: SubscriptionMemory,
): Promise<readonly RememberedSubscription[]> {
  const known = memory.all.filter((one) => one.baseUrl === baseUrl && one.environment === environment);
  if (known.length === 0) return known;
  const isLost = await lostBySandbox(baseUrl);
  for (const one of known.filter(isLost)) memory.forget(one);
  return known.filter((one) => !isLost(one));
}

function wouldDoTheSame(one: RememberedSubscription, other: RememberedSubscription): boolean {
  return (
    one.url === other.url &&
    one.secretFingerprint === other.secretFingerprint &&
    one.events.join() === other.events.join()
  );
}

/** The kinds that fit, in the order of the description. */
function chosenKinds(patterns: readonly string[] = ["*"]): readonly EventKind[] {
  return eventKinds.filter((kind) => patterns.some((pattern) => matchesKind(pattern, kind)));
}
