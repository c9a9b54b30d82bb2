import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { describeError } from "../../base/errors.ts";
import type { Listeners } from "../../base/listeners.ts";
import type { Logger } from "../../base/logger.ts";
import { type ApiError, invalid } from "./api-error.ts";
import { controlApi } from "./control-api.ts";
import { checkLocal } from "./local-only.ts";
import type { SandboxObservation } from "./observation.ts";
import { fail } from "./respond.ts";
import { type ServiceApiParts, serviceApi } from "./service-api.ts";

/**
 * Creates the Express app: the service's API and the sandbox's own routes, only for this machine.
 */
export function createApp(
  parts: ServiceApiParts,
  observers: Listeners<SandboxObservation>,
): Express {
  const { settings, simulation, rules } = parts;
  const app = express().disable("x-powered-by").disable("etag");
  app.enable("case sensitive routing");
  app.use(watch(observers));
  app.use((request, response, next) => {
    const refused = checkLocal(request.headers, rules.ownPort);
    if (refused === undefined) next();
    else fail(response, refused);
  });
  app.use("/v1", serviceApi(parts));
  app.use("/_sandbox", controlApi(simulation));
  app.use((request, response) => fail(response, notFound(`${request.method} ${request.path}`)));
  app.use(onError(settings.log));
  return app;
}

/**
 * Routes that the description does not show do not exist (service description, "Other endpoints").
 */
export function notFound(what: string): ApiError {
  const message = `unknown ${what}: the service's description does not show it`;
  return { status: 404, type: "not_found", message };
}

function watch(observers: Listeners<SandboxObservation>): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    response.once("finish", () => {
      const duration = Math.round((performance.now() - start) * 10) / 10;
      const { method, originalUrl: target } = request;
      observers.notify({ type: "request", method, target, status: response.statusCode, duration });
    });
    next();
  };
}

/** Express recognises an error handler by its four parameters. */
function onError(log: Logger): ErrorRequestHandler {
  return (thrown, _request, response, _next) => {
    if (response.headersSent) return void response.destroy();
    if ((thrown as { status?: unknown } | undefined)?.status === 400)
      // Express's own error, for a stray %
      return fail(response, invalid("expected a path that can be decoded"));
    log.error({ error: describeError(thrown) }, "the sandbox failed to answer");
    const message = "the sandbox itself failed; see its log";
    fail(response, { status: 500, type: "server_error", message });
  };
}
