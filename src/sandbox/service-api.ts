import express, { type Router } from "express";
import { rateLimited } from "./api-error.ts";
import { checkKey } from "./api-key.ts";
import type { SandboxSettings } from "./options.ts";
import type { PlannedFailures } from "./planned-failures.ts";
import { listProperties } from "./property-list.ts";
import { RateLimit } from "./rate-limit.ts";
import { readJson } from "./read-json.ts";
import { fail, succeed } from "./respond.ts";
import type { Simulation } from "./simulation.ts";
import { readSubscription, type TargetRules } from "./subscription.ts";

/** What the routes need. */
export interface ServiceApiParts {
  readonly settings: SandboxSettings;
  readonly simulation: Simulation;
  readonly failures: PlannedFailures;
  readonly rules: TargetRules;
}

/** The routes below `/v1` (service description, "Endpoints"): they check the key, then the limit, then the request. */
export function serviceApi({ settings, simulation, failures, rules }: ServiceApiParts): Router {
  const { apiKey, rateLimit, clock, assumptions } = settings;
  const limit = new RateLimit(rateLimit, clock);
  const router = express.Router({ caseSensitive: true, strict: true });

  router.use((request, response, next) => {
    const { authorization } = request.headers;
    const refused = checkKey(authorization, apiKey);
    if (refused !== undefined) return fail(response, refused);
    const wait = limit.take(String(authorization));
    if (wait !== undefined) return fail(response, rateLimited(wait));
    const planned = failures.take();
    if (planned !== undefined) return fail(response, planned);
    next();
  });

  router.get("/properties", (request, response) => {
    const query = new URLSearchParams(/\?(.*)$/.exec(request.originalUrl)?.[1] ?? "");
    const listed = listProperties(simulation.properties, query, assumptions);
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
