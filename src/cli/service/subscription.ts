import type { Client } from "../../client/client.ts";
import { ServiceError } from "../../client/service-error.ts";
import type { CreatedSubscription } from "../../client/webhooks.ts";
import { HookporterError } from "../../errors.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { type EventKind, eventKinds } from "../../event/kinds.ts";
import type { CliContext } from "../context.ts";
import { oneAtATime } from "../files/one-at-a-time.ts";
import { lostBySandbox } from "./sandbox-subscriptions.ts";
import { type RememberedSubscription, SubscriptionMemory, subscriptionsLock } from "./subscription-memory.ts";
import type { SubscriptionSecret } from "./subscription-secret.ts";
import { whatToDo } from "./unconfirmed.ts";

export interface WantedSubscription {
  /** Where the service should deliver. */
  readonly url: URL;
  /** Kinds and families. Default: all 12 kinds. */
  readonly events?: readonly string[] | undefined;
  readonly secret: SubscriptionSecret;
  /** The name of the tunnel that the URL belongs to. */
  readonly tunnel?: string | undefined;
  /** Create another one even if it is remembered. */
  readonly again?: boolean | undefined;
  /** Whether the caller waits for a service that is not up. Then a sandbox that is not up cannot pass for one that knows it. */
  readonly waits?: boolean | undefined;
  /** Aborts the creation; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** The result. */
export interface SubscriptionOutcome {
  /** If it is unconfirmed, it may exist, so nothing was sent. */
  readonly subscription: RememberedSubscription;
  /** False if it was remembered, so that nothing was sent. */
  readonly created: boolean;
  /** Whether an earlier attempt may have created another one. */
  readonly mayExistTwice: boolean;
  /** Other remembered subscriptions for the same service and data, oldest first: they deliver as well. */
  readonly others: readonly RememberedSubscription[];
}

/**
 * Creates a subscription, unless it is remembered, as created or as one that may exist. It is recorded before the request,
 * so that a possible subscription is known even if this process dies or the response is lost. Processes in the same folder
 * take turns.
 *
 * @throws ServiceError, which says so if the subscription may exist; HookporterError `input_invalid` if the memory is damaged
 */
export function ensureSubscription(
  client: Client,
  wanted: WantedSubscription,
  context: CliContext,
): Promise<SubscriptionOutcome> {
  const onWait = () => context.output.talk("waiting for another process that subscribes in this folder");
  const lock = subscriptionsLock(context.io.cwd);
  return oneAtATime(lock, () => ensure(client, wanted, context), { onWait, signal: wanted.signal });
}

async function ensure(
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
  const others = await rememberedAt(client, memory, wanted.waits);
  const same = others.filter((one) => wouldDoTheSame(one, plan));
  const known = same.findLast(({ state }) => state === "created") ?? same.at(-1);
  if (known !== undefined && wanted.again !== true) {
    const rest = others.filter((one) => one !== known);
    return { subscription: known, created: false, mayExistTwice: false, others: rest };
  }
  memory.add(plan);
  const made = await create(client, wanted, events).catch((thrown: unknown) => {
    if (mayHaveHappened(thrown)) throw withFate(thrown, plan);
    memory.forget(plan);
    throw thrown;
  });
  const subscription = { ...plan, id: made.id ?? null, state: "created" } as const;
  if (made.mayExistTwice)
    memory.add(subscription); // the first one stays unconfirmed
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

/** Whether the service may have carried out the request; after an abort it is unknown how far it got. */
function mayHaveHappened(thrown: unknown): boolean {
  return thrown instanceof ServiceError ? thrown.mayHaveHappened : !(thrown instanceof HookporterError);
}

/** The same error, if it is the service's, with what it means for the subscription. */
function withFate(thrown: unknown, plan: RememberedSubscription): unknown {
  if (!(thrown instanceof ServiceError)) return thrown;
  const message = `${thrown.message}; the subscription may exist all the same, and is remembered as unconfirmed: ${whatToDo(plan)}`;
  return new ServiceError({ ...thrown, message, cause: thrown.cause }, thrown.attempts);
}

/** The remembered subscriptions for the same service and data. Those that a sandbox has lost are forgotten. */
async function rememberedAt(
  { baseUrl, environment }: Client,
  memory: SubscriptionMemory,
  waits = false,
): Promise<readonly RememberedSubscription[]> {
  const known = memory.all.filter((one) => one.baseUrl === baseUrl && one.environment === environment);
  if (known.length === 0) return known;
  const isLost = await lostBySandbox(baseUrl, waits);
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

/** The matching kinds, in the order of the description. */
function chosenKinds(patterns: readonly string[] = ["*"]): readonly EventKind[] {
  return eventKinds.filter((kind) => patterns.some((pattern) => matchesKind(pattern, kind)));
}
