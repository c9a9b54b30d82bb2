import type { EventKind } from "../event/kinds.ts";
import type { PropertyCreated } from "../event/property.ts";
import { sampleEvent } from "../event/sample.ts";
import { formatTimestamp } from "../event/timestamp.ts";
import type { Audience } from "../receiver/audience.ts";
import { printExact } from "../relay/exact-json.ts";
import { Deliverer } from "./deliverer.ts";
import type { SandboxDelivery } from "./delivery-log.ts";
import { type Destination, endpointOf } from "./destination.ts";
import type { SandboxObservation } from "./observation.ts";
import type { SandboxSettings } from "./options.ts";
import { Portfolio } from "./portfolio.ts";
import type { ListedProperty, PropertyDraft } from "./property.ts";
import {
  type ShownSubscription,
  type Subscription,
  type SubscriptionRequest,
  shownSubscription,
} from "./subscription.ts";

/** An event that was caused, and the deliveries that tell of it. */
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

/** The service without its HTTP: properties, subscriptions, the events that are caused, and their deliveries. */
export class Simulation {
  readonly #settings: SandboxSettings;
  readonly #observers: Audience<SandboxObservation>;
  readonly #portfolio: Portfolio;
  readonly #deliverer: Deliverer;
  readonly #subscribed = new Map<string, Subscribed>();
  #stream: Destination | undefined;
  #subscriptionCount = 0;
  #lastInstant = 0;

  constructor(settings: SandboxSettings, observers: Audience<SandboxObservation>) {
    const { seed, properties, clock, chaos } = settings;
    this.#settings = settings;
    this.#observers = observers;
    this.#portfolio = new Portfolio(seed, properties, clock());
    this.#deliverer = new Deliverer(settings, {
      onAttempt: (delivery, attempt) => observers.tell({ type: "attempt", delivery, attempt }),
      onOutage: () => observers.tell({ type: "outage", durationMs: chaos.outage }),
    });
  }

  /** Oldest first. */
  get properties(): readonly ListedProperty[] {
    return this.#portfolio.listed;
  }

  /** Oldest first. */
  get subscriptions(): readonly ShownSubscription[] {
    return [...this.#subscribed.values()].map(({ subscription }) => shownSubscription(subscription));
  }

  /** The latest 1000, oldest first. */
  get deliveries(): readonly SandboxDelivery[] {
    return this.#deliverer.deliveries;
  }

  /** Whether nothing gets through for now. */
  get inOutage(): boolean {
    return this.#deliverer.inOutage;
  }

  subscribe(request: SubscriptionRequest): ShownSubscription {
    const id = `wh_sandbox_${String(++this.#subscriptionCount).padStart(4, "0")}`;
    const subscription = { ...request, id };
    const ended = new AbortController();
    const destination = endpointOf(subscription, this.#settings, ended.signal);
    this.#subscribed.set(id, { subscription, destination, ended });
    const shown = shownSubscription(subscription);
    this.#observers.tell({ type: "subscription", change: "created", subscription: shown });
    return shown;
  }

  /** Ends a subscription, and what is on its way to it; `undefined` where there is none of that id. */
  unsubscribe(id: string): ShownSubscription | undefined {
    const found = this.#subscribed.get(id);
    if (found === undefined) return undefined;
    this.#subscribed.delete(id);
    found.ended.abort();
    this.#deliverer.cancel(found.destination);
    const subscription = shownSubscription(found.subscription);
    this.#observers.tell({ type: "subscription", change: "removed", subscription });
    return subscription;
  }

  /** From now on all events go to the stream as well; what waits for it is tried at once. */
  openStream(stream: Destination): void {
    this.#stream = stream;
    this.#deliverer.wake(stream);
  }

  /** Creates a property, which causes `property.created` (service description, "Events"). */
  createProperty(draft: PropertyDraft = {}): {
    readonly property: PropertyCreated;
    readonly caused: CausedEvent;
  } {
    const instant = this.#nextInstant();
    const { created } = this.#portfolio.create(draft, instant);
    return { property: created, caused: this.#cause("property.created", created, instant) };
  }

  /**
   * Causes an event. Which operation of the API does is not shown, but for the creation of a property ("Events"): so
   * `property.created` without data creates one, and the others carry their sample's made-up data.
   */
  emit(kind: EventKind, data?: Readonly<Record<string, unknown>>): CausedEvent {
    if (data === undefined && kind === "property.created") return this.createProperty().caused;
    return this.#cause(kind, data ?? sampleEvent(kind).data, this.#nextInstant());
  }

  /** Ends everything under way; nothing is sent afterwards. */
  close(): void {
    this.#deliverer.close();
  }

  #cause(event: EventKind, data: object, instant: number): CausedEvent {
    const timestamp = formatTimestamp(instant);
    const deliveries = this.#destinationsOf(event).flatMap((destination) => {
      const { webhook } = destination;
      const body = Buffer.from(printExact({ event, timestamp, data, webhook }), "utf8");
      return this.#deliverer.deliver({ event, timestamp, body, destination });
    });
    return { event, timestamp, deliveries };
  }

  #destinationsOf(kind: EventKind): readonly Destination[] {
    const endpoints = [...this.#subscribed.values()].filter(({ subscription }) => {
      return subscription.events.includes(kind);
    });
    const streams = this.#stream === undefined ? [] : [this.#stream];
    return [...endpoints.map(({ destination }) => destination), ...streams];
  }

  /** Two events must differ in something, or they are one to a receiver: each gets a millisecond of its own. */
  #nextInstant(): number {
    this.#lastInstant = Math.max(this.#lastInstant + 1, this.#settings.clock());
    return this.#lastInstant;
  }
}
