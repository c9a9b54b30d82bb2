import { ConfigurationError } from "../../base/errors.ts";
import { fetchByName } from "../../http/fetch-by-name.ts";
import { createClient } from "../../service/client/client.ts";
import { readClientOptions } from "../../service/client/client-options.ts";
import type { Environment } from "../../service/client/credential.ts";
import type { CliContext } from "../context.ts";
import { requireReach } from "../mcp/reach.ts";
import { type FoundCredential, findCredential } from "../secrets/api-key.ts";
import type { DoctorOptions } from "./doctor-options.ts";

export interface ServiceProbe {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whose data the credential gives access to; `undefined` without one. */
  readonly environment: Environment | undefined;
  /** Why the request failed; `undefined` if it did not. */
  readonly error: unknown;
  /**
   * Milliseconds by which this machine's clock is ahead of the service's; `undefined` if it does
   * not say its time.
   */
  readonly ahead: number | undefined;
}

/** Milliseconds that the service may take to answer. */
const TIMEOUT = 5000;

/**
 * Lists properties once, as nothing else that the description shows only reads. Without a
 * credential the service refuses that, but says its time. `undefined` if the service's address is
 * not set. Throws `usage` if an agent may not reach it.
 */
export async function probeService(
  options: DoctorOptions,
  context: CliContext,
): Promise<ServiceProbe | undefined> {
  if (options.baseUrl === undefined) return undefined;
  let ahead: number | undefined;
  const timed: typeof fetchByName = async (...request) => {
    const before = context.clock();
    const response = await fetchByName(...request);
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(date)) ahead = (before + context.clock()) / 2 - date - HALF_SECOND;
    return response;
  };
  const { baseUrl, live } = options;
  if (URL.canParse(baseUrl))
    requireReach(new URL(baseUrl), context.origins.get("baseUrl"), context.io);
  const credential = credentialOf(options, context);
  const common = {
    baseUrl,
    live,
    fetch: timed as typeof fetch,
    timeout: TIMEOUT,
    retry: { attempts: 1 },
  };
  if (credential === undefined) {
    const { baseUrl } = readClientOptions({ ...common, accessToken: () => "none" });
    const error = await timed(baseUrl, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { baseUrl, environment: undefined, error, ahead };
  }
  const client = createClient({ ...common, ...credential });
  const error = await client.properties.list().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { baseUrl: client.baseUrl, environment: client.environment, error, ahead };
}

/** The header has whole seconds, without the rest. */
const HALF_SECOND = 500;

/** A credential that nobody asked for may be missing: `listen` needs none without `--subscribe`. */
function credentialOf(options: DoctorOptions, context: CliContext): FoundCredential | undefined {
  try {
    return findCredential(options, context);
  } catch (thrown) {
    const isMissing = thrown instanceof ConfigurationError && thrown.code === "credential_missing";
    const { subscribe, apiKeyEnv, accessTokenEnv } = options;
    if (isMissing && subscribe !== true && apiKeyEnv === undefined && accessTokenEnv === undefined)
      return undefined;
    throw thrown;
  }
}
