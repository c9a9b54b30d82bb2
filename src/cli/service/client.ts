import { isLoopback } from "../../http/is-loopback.ts";
import type { AssumptionOptions } from "../../service/client/assumptions.ts";
import { type Client, createClient } from "../../service/client/client.ts";
import type { RetryNotice } from "../../service/client/client-options.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import type { Io } from "../io.ts";
import { requireReach } from "../mcp/reach.ts";
import { printable } from "../output.ts";
import { findCredential } from "../secrets/api-key.ts";
import type { ServiceOptions } from "./service-options.ts";

interface ClientChoice {
  /** Milliseconds for one attempt. */
  readonly timeout?: number | undefined;
  readonly assumptions?: AssumptionOptions;
  /** Called before each wait of the client. Default: prints a line. */
  readonly onRetry?: (notice: RetryNotice) => void;
}

/**
 * Creates a client of the service that the options name. The key or token comes from the
 * environment or the env file, never from the command line. Throws `usage` without an address;
 * ConfigurationError for an invalid address or key.
 */
export function openClient(
  options: ServiceOptions,
  {
    timeout,
    assumptions,
    onRetry = (notice) => context.output.talk(retryLine(notice)),
  }: ClientChoice,
  context: CliContext,
): Client {
  const { baseUrl, live } = options;
  if (baseUrl === undefined)
    throw usageError(
      "expected the base URL of the service, got none: pass --base-url, or set HOOKPORTER_BASE_URL",
    );
  if (URL.canParse(baseUrl))
    requireReach(new URL(baseUrl), context.origins.get("baseUrl"), context.io);
  const credential = findCredential(options, context);
  const client = createClient({ baseUrl, ...credential, live, timeout, assumptions, onRetry });
  const notice = proxyNotice(new URL(client.baseUrl), context.io);
  if (notice !== undefined) context.output.talk(`warning: ${notice}`);
  return client;
}

/**
 * A line for a user whose proxy is not used, or `undefined`: Node's `fetch` ignores the usual
 * variables unless it is told not to. It never shows the proxy's address, which may contain a
 * password.
 */
export function proxyNotice(url: URL, { env }: Pick<Io, "env">): string | undefined {
  const scheme = url.protocol.slice(0, -1);
  const name = [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase()].find((text) => env[text]);
  const excepted = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).includes(url.hostname);
  if (name === undefined || excepted || isLoopback(url) || env.NODE_USE_ENV_PROXY === "1")
    return undefined;
  return (
    `${name} is set, but requests to ${url.host} do not go through a proxy: ` +
    "set NODE_USE_ENV_PROXY=1 (Node.js 22.21, 24 or newer), or except the host with NO_PROXY"
  );
}

export function retryLine({ error, delay }: RetryNotice): string {
  return `${printable(error.message, 500)}; retrying in ${(delay / 1000).toFixed(1)} s`;
}
