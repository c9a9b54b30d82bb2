import type { Environment } from "./credential.ts";
import { type ClientOptions, readClientOptions } from "./options.ts";
import { type PropertiesApi, propertiesApi } from "./properties.ts";
import { type WebhooksApi, webhooksApi } from "./webhooks.ts";

/** A client of the service's API. It keeps the key to itself: neither printing nor serialising it shows one. */
export interface Client {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** By the key's prefix (service description, "Authentication" 2); `unknown` for an access token. */
  readonly environment: Environment;
  readonly properties: PropertiesApi;
  readonly webhooks: WebhooksApi;
}

/**
 * A client of the two endpoints that the description shows. It opens nothing and needs no closing.
 *
 * @throws ConfigurationError `option_invalid`, `credential_missing`, `credential_invalid`
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
