/**
 * Typed calls of the service's API come in, and in the sandbox anyone's. Requests to the service go
 * out, or simulated answers and signed deliveries. What the service's description does not show is
 * marked as made up.
 */

import { type ClientOptions, readClientOptions } from "./client-options.ts";
import type { Environment } from "./credential.ts";
import { type PropertiesApi, propertiesApi } from "./properties.ts";
import { type WebhooksApi, webhooksApi } from "./webhooks.ts";

/** A client of the service's API. Printing or serialising it does not reveal the key. */
export interface Client {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /**
   * From the key's prefix (service description, "Authentication" 2); `unknown` for an access token.
   */
  readonly environment: Environment;
  readonly properties: PropertiesApi;
  readonly webhooks: WebhooksApi;
}

/**
 * Creates a client of the two endpoints that the description shows. It holds no connections, so
 * there is nothing to close.
 *
 * @throws ConfigurationError `option_invalid`, `credential_missing`, `credential_invalid`
 *
 * @example
 * ```ts
 * import { createClient } from "hookporter/client";
 *
 * const client = createClient({ baseUrl: "https://api.example.com", apiKey: process.env.HOOKPORTER_API_KEY });
 * for await (const { property } of client.properties.items()) console.log(property);
 * await client.webhooks.create({ url: "https://receiver.example/webhooks", events: ["payment.received"] });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const settings = readClientOptions(options);
  return Object.freeze({
    baseUrl: settings.baseUrl,
    environment: settings.credential.environment,
    properties: propertiesApi(settings),
    webhooks: webhooksApi(settings),
  });
}
