import type { Listeners } from "../../base/listeners.ts";
import { printExact } from "../../event/exact-json.ts";
import type { EventKind } from "../../event/kinds.ts";
import { sampleEvent } from "../../event/sample.ts";
import { formatTimestamp } from "../../event/timestamp.ts";
import { Deliverer } from "./deliverer.ts";
import { type Destination, endpointOf } from "./destination.ts";
import type { SandboxObservation } from "./observation.ts";
import { drawProperty, type ListedProperty, type Property } from "./property.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import {
  type ShownSubscription,
  type Subscription,
  type SubscriptionRequest,
  sandboxId,
  shownSubscription,
} from "./subscription.ts";

/** An event that was caused, and its deliveries. */
export interface CausedEvent {
  readonly event: EventKind;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly deliveries: readonly string[];
}

interface Subscribed {
  readonly subscription: Subscription;
  readonly destination: Destination;
  readonly ended: AbortController;
}

/** The service without HTTP: properties, subscriptions, events, and their deliveries. */
export class Simulation {
  readonly #settings: SandboxSettings;
  readonly #observers: Listeners<SandboxObservation>;
  /** The initial properties, the same for the same seed, and those created later. */
  readonly #properties: Property[];
  readonly deliverer: Deliverer;
  readonly #subscribed = new Map<string, Subscribed>();
  #stream: Destination | undefined;
  #subscriptionCount = 0;
  #lastInstant = 0;

  constructor(settings: SandboxSettings, observers: Listeners<SandboxObservation>) {
    const { seed, properties, clock } = settings;
    this.#settings = settings;
    this.#observers = observers;
    const now = clock();
    this.#properties = Array.from({ length: properties }, (_, index) =>
      drawProperty(seed, index + 1, now),
    );
    this.deliverer = new Deliverer(settings, observers);
  }

  /** Oldest first. */
  get properties(): readonly ListedProperty[] {
    return this.#properties.map(({ listed }) => listed);
  }

  /** Oldest first. */
  get subscriptions(): readonly ShownSubscription[] {
    return [...this.#subscribed.values()].map(({ subscription }) =>
      shownSubscription(subscription),
    );
  }

  /**
   * Creates a subscription. An equal one stays the only one, so that a receiver may subscribe each
   * time it starts.
   */
  subscribe(request: SubscriptionRequest): ShownSubscription {
    const { url, events, secret } = request;
    for (const { subscription } of this.#subscribed.values()) {
      const sameSecret = subscription.secret?.fingerprint === secret?.fingerprint;
      if (subscription.url === url && subscription.events.join() === events.join() && sameSecret)
        return shownSubscription(subscription);
    }
    const id = sandboxId(++this.#subscriptionCount);
    const subscription = { ...request, id };
    const ended = new AbortController();
    const destination = endpointOf(subscription, this.#settings, ended.signal);
    this.#subscribed.set(id, { subscription, destination, ended });
    const shown = shownSubscription(subscription);
    this.#observers.notify({ type: "subscription", change: "created", subscription: shown });
    return shown;
  }

  /**
   * Removes a subscription and cancels its deliveries; returns `undefined` if there is none with
   * that id.
   */
  unsubscribe(id: string): ShownSubscription | undefined {
    const found = this.#subscribed.get(id);
    if (found === undefined) return undefined;
    this.#subscribed.delete(id);
    found.ended.abort();
    this.deliverer.cancel(found.destination);
    const subscription = shownSubscription(found.subscription);
    this.#observers.notify({ type: "subscription", change: "removed", subscription });
    return subscription;
  }

  /** From now on all events are sent to the stream too; waiting ones are sent at once. */
  openStream(stream: Destination): void {
    this.#stream = stream;
    this.deliverer.wake(stream);
  }

  /**
   * Causes an event. The description shows only that creating a property causes one ("Events"). So
   * `property.created` without data creates a property, and the other kinds carry the invented data
   * of their sample.
   */
  emit(kind: EventKind, data?: Readonly<Record<string, unknown>>): CausedEvent {
    // No two events have the same millisecond, since a receiver could treat equal events as one.
    const instant = Math.max(this.#lastInstant + 1, this.#settings.clock());
    this.#lastInstant = instant;
    if (data !== undefined) return this.#cause(kind, data, instant);
    if (kind !== "property.created") return this.#cause(kind, sampleEvent(kind).data, instant);
    const property = drawProperty(this.#settings.seed, this.#properties.length + 1, instant);
    this.#properties.push(property);
    return this.#cause(kind, property.created, instant);
  }

  #cause(event: EventKind, data: object, instant: number): CausedEvent {
    const timestamp = formatTimestamp(instant);
    const endpoints = [...this.#subscribed.values()]
      .filter(({ subscription }) => subscription.events.includes(event))
      .map(({ destination }) => destination);
    const destinations = this.#stream === undefined ? endpoints : [...endpoints, this.#stream];
    const deliveries = destinations.flatMap((destination) => {
      const { webhook } = destination;
      const body = Buffer.from(printExact({ event, timestamp, data, webhook }), "utf8");
      return this.deliverer.deliver({ event, timestamp, body, destination });
    });
    return { event, timestamp, deliveries };
  }
}
