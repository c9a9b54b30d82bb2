import express, { type Router } from "express";
import { rateLimited } from "./api-error.ts";
import { checkKey } from "./api-key.ts";
import { listProperties } from "./property-list.ts";
import { readJson } from "./read-json.ts";
import { fail, succeed } from "./respond.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import type { Simulation } from "./simulation.ts";
import { readSubscription, type TargetRules } from "./subscription.ts";

export interface ServiceApiParts {
  readonly settings: SandboxSettings;
  readonly simulation: Simulation;
  readonly rules: TargetRules;
}

/**
 * The routes below `/v1` (service description, "Endpoints"): they check the key, then the limit,
 * then the request.
 */
export function serviceApi({ settings, simulation, rules }: ServiceApiParts): Router {
  const { apiKey, rateLimit, clock } = settings;
  const waitOf = rateLimiter(rateLimit, clock);
  const router = express.Router({ caseSensitive: true, strict: true });

  router.use((request, response, next) => {
    const { authorization } = request.headers;
    const refused = checkKey(authorization, apiKey);
    if (refused !== undefined) return fail(response, refused);
    const wait = waitOf(String(authorization));
    if (wait !== undefined) return fail(response, rateLimited(wait));
    next();
  });

  router.get("/properties", (request, response) => {
    const { searchParams: query } = new URL(request.originalUrl, "http://127.0.0.1");
    const listed = listProperties(simulation.properties, query);
    if ("error" in listed) fail(response, listed.error);
    else succeed(response, listed.envelope);
  });

  router.post("/webhooks", async (request, response) => {
    const body = await readJson(request);
    const wanted = "error" in body ? body : readSubscription(body.value, rules);
    if ("error" in wanted) return fail(response, wanted.error);
    // The service's response is not shown, so the subscription is under the sandbox's own name.
    succeed(response, { _sandbox: simulation.subscribe(wanted) });
  });

  return router;
}

const MINUTE = 60_000;

/** The maximum number of remembered callers; above it, those whose minute is over are forgotten. */
const MAX_CALLERS = 1000;

/**
 * Counts requests per minute and caller. The service has a limit per minute, enforced with 429
 * (service description, "Limits"); that a minute begins with a caller's first request is the
 * sandbox's own rule. The returned function counts a request, and returns the milliseconds to wait
 * if it exceeds the limit.
 *
 * @param perMinute - requests; `Infinity` for no limit
 */
function rateLimiter(
  perMinute: number,
  clock: () => number,
): (caller: string) => number | undefined {
  const windows = new Map<string, { readonly ends: number; count: number }>();
  const forget = (now: number) => {
    if (windows.size < MAX_CALLERS) return;
    for (const [caller, { ends }] of windows) if (now >= ends) windows.delete(caller);
  };
  return (caller) => {
    const now = clock();
    let window = windows.get(caller);
    if (window === undefined || now >= window.ends || now < window.ends - MINUTE) {
      forget(now);
      window = { ends: now + MINUTE, count: 0 };
      windows.set(caller, window);
    }
    window.count++;
    return window.count > perMinute ? window.ends - now : undefined;
  };
}
