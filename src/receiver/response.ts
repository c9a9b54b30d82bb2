import { HookporterError } from "../base/errors.ts";
import { type Answer, failure, json, RETRY_AFTER } from "../http/answer.ts";
import type { Outcome } from "./outcome.ts";
import { refusalFor, sentence } from "./refusals.ts";

/**
 * Returns the answer to an outcome. Errors have the service's format (service description,
 * "Errors").
 */
export function toAnswer(outcome: Outcome): Answer {
  switch (outcome.type) {
    case "accepted":
      return json(200, { received: true, id: outcome.eventId, duplicate: outcome.duplicate });
    case "rejected": {
      const { message, field } = outcome.rejection;
      return json(400, {
        error: { type: "invalid_request", message, ...(field !== undefined && { field }) },
      });
    }
    case "unauthorized":
      return failure(401, "unauthorized", "The signature is missing or not valid.");
    case "refused": {
      const { status, type, meaning, headers } = refusalFor(outcome.reason);
      return failure(status, type, sentence(meaning), headers);
    }
    case "unavailable":
      return failure(503, "unavailable", "The delivery could not be stored; try again later.", {
        "Retry-After": RETRY_AFTER,
        // so that the retry reaches another process
        ...(isClosed(outcome.error) && { Connection: "close" }),
      });
    case "misconfigured":
      return failure(
        500,
        "server_error",
        "The receiver is not set up correctly; its log says why.",
      );
  }
}

function isClosed(error: Error): boolean {
  return error instanceof HookporterError && error.code === "closed";
}
