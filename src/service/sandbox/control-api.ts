import express, { type Router } from "express";
import { isRecord } from "../../base/guards.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { type ApiError, invalid } from "./api-error.ts";
import { readJson } from "./read-json.ts";
import { fail, succeed } from "./respond.ts";
import type { CausedEvent, Simulation } from "./simulation.ts";

/**
 * The routes below `/_sandbox`, which belong to the sandbox, for what the description does not
 * show: cause events, and list subscriptions and deliveries.
 */
export function controlApi(simulation: Simulation): Router {
  const router = express.Router({ caseSensitive: true, strict: true });

  router.post("/events", async (request, response) => {
    const body = await readJson(request, { exact: true });
    const caused = "error" in body ? body : causeEvent(body.value, simulation);
    if ("error" in caused) return fail(response, caused.error);
    succeed(response, caused);
  });

  router.get("/deliveries", (_, response) =>
    succeed(response, { data: simulation.deliverer.deliveries }),
  );

  router.get("/subscriptions", (_, response) =>
    succeed(response, { data: simulation.subscriptions }),
  );

  router.delete("/subscriptions/:id", (request, response) => {
    const removed = simulation.unsubscribe(request.params.id);
    if (removed !== undefined) return succeed(response, removed);
    fail(response, {
      status: 404,
      type: "not_found",
      message: "there is no subscription with that id",
    });
  });

  return router;
}

/**
 * Reads a body such as `{"event": "payment.received", "data": {…}}`; ignores other members, such as
 * an envelope's.
 */
function causeEvent(
  body: unknown,
  simulation: Simulation,
): CausedEvent | { readonly error: ApiError } {
  if (!isRecord(body))
    return { error: invalid("expected a JSON object with event and, optionally, data") };
  const { event, data } = body;
  if (event === undefined) return { error: invalid("event is required", "event") };
  if (typeof event !== "string" || !isEventKind(event))
    return { error: invalid(`expected event to be one of ${eventKinds.join(", ")}`, "event") };
  if (data !== undefined && !isRecord(data))
    return { error: invalid("expected data to be a JSON object", "data") };
  return simulation.emit(event, data);
}
