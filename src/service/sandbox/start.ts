/**
 * Calls of the service's API come in, and commands from tests. Answers and signed deliveries go
 * out. What the service's description does not show is marked as made up.
 */

import { Listeners } from "../../base/listeners.ts";
import { checkFunction } from "../../base/options/check-options.ts";
import { checkEventKind } from "../../event/kind-pattern.ts";
import type { EventKind } from "../../event/kinds.ts";
import { createWebhookServer } from "../../http/express-server.ts";
import { closeServer, listenOn } from "../../http/server.ts";
import { createApp } from "./app.ts";
import type { SandboxDelivery, SandboxObservation } from "./observation.ts";
import { readSandboxOptions, type SandboxOptions } from "./sandbox-options.ts";
import { type CausedEvent, Simulation } from "./simulation.ts";
import { type StreamServer, streamServer } from "./stream-server.ts";
import type { ShownSubscription } from "./subscription.ts";
import { openStreamsOn, STREAM_PATH } from "./upgrade.ts";

/** It listens only on this machine. */
const HOST = "127.0.0.1";

/** A simulated service. */
export interface Sandbox {
  /** The base URL of its API, for a client. */
  readonly url: URL;
  /** The URL of its stream; an assumption. */
  readonly streamUrl: URL;
  /** Oldest first, without removed ones. */
  readonly subscriptions: readonly ShownSubscription[];
  /** The latest 1000, oldest first. */
  readonly deliveries: readonly SandboxDelivery[];
  /**
   * Causes an event. Without data, `property.created` creates a property, and other kinds carry
   * invented data.
   *
   * @throws ConfigurationError `option_invalid` for an unknown kind
   */
  emit(kind: EventKind, data?: Readonly<Record<string, unknown>>): CausedEvent;
  /** Calls the listener for everything that happens; returns an unsubscribe function. */
  observe(listener: (observation: SandboxObservation) => unknown): () => void;
  /** Ends deliveries and streams, gives requests in progress 2 seconds, then closes the rest. */
  close(): Promise<void>;
}

/**
 * Starts a simulated service on 127.0.0.1: its API, its deliveries, and a stream.
 *
 * @throws ConfigurationError `option_invalid`
 * @throws HookporterError `port_unavailable`
 *
 * @example
 * ```ts
 * import { createClient } from "hookporter/client";
 * import { startSandbox } from "hookporter/sandbox";
 *
 * const sandbox = await startSandbox({ port: 0, chaos: { duplicates: 0.1 } });
 * const client = createClient({ baseUrl: sandbox.url, apiKey: "sk_test_anything" });
 * await client.webhooks.create({ url: "http://127.0.0.1:4400/webhooks", events: ["payment.received"] });
 * sandbox.emit("payment.received");
 * await sandbox.close();
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = readSandboxOptions(options);
  const observers = new Listeners<SandboxObservation>("observe", settings.log);
  const simulation = new Simulation(settings, observers);
  const rules = { targetHosts: settings.targetHosts, ownPort: settings.port };
  const server = createWebhookServer(createApp({ settings, simulation, rules }, observers));
  const port = await listenOn(server, settings.port, HOST);
  rules.ownPort = port;
  const url = new URL(`http://${HOST}:${port}`);
  const streamUrl = new URL(`ws://${HOST}:${port}${STREAM_PATH}`);
  const stream: StreamServer = streamServer(streamUrl, settings.answerTimeout, (observation) => {
    observers.notify(observation);
    if (observation.change === "opened") simulation.openStream(stream);
  });
  observers.add(({ type }) => {
    if (type === "outage") stream.cut();
  });
  openStreamsOn(server, stream, { settings, simulation, rules });
  return {
    url,
    streamUrl,
    get subscriptions() {
      return simulation.subscriptions;
    },
    get deliveries() {
      return simulation.deliverer.deliveries;
    },
    emit: (kind, data) => {
      checkEventKind(kind);
      return simulation.emit(kind, data);
    },
    observe: (listener) => {
      checkFunction(listener, "the listener of observe", "pass (observation) => …");
      return observers.add(listener);
    },
    close: () => {
      simulation.deliverer.close();
      stream.close();
      return closeServer(server);
    },
  };
}
