import { HookporterError } from "../errors.ts";
import { type Answer, failure, json, RETRY_AFTER } from "../http/answer.ts";
import type { Outcome, RefusalReason } from "./outcome.ts";

/** The answer to each refusal; the connection is closed if the body may not have been read. */
const REFUSALS: Readonly<
  Record<RefusalReason, { status: number; type: string; message: string; headers?: Record<string, string> }>
> = {
  wrong_path: { status: 404, type: "not_found", message: "There is no endpoint here." },
  wrong_method: {
    status: 405,
    type: "method_not_allowed",
    message: "Deliveries are sent with POST.",
    headers: { Allow: "POST" },
  },
  too_slow: closing(408, "request_timeout", "The body did not arrive in time."),
  too_large: closing(413, "payload_too_large", "The body is larger than this receiver accepts."),
  content_encoding: closing(415, "unsupported_encoding", "Send the body without Content-Encoding."),
  aborted: closing(400, "invalid_request", "The body did not arrive completely."),
  stalled: closing(408, "request_timeout", "The body made too little progress."),
  overloaded: {
    status: 503,
    type: "unavailable",
    message: "Too many bodies are being received; try again later.",
    headers: { "Retry-After": RETRY_AFTER, Connection: "close" },
  },
};

/**
 * Returns the answer to an outcome. Errors have the service's format (service description, "Errors").
 *
 * @example
 * ```ts
 * import { type Delivery, type Receiver, toAnswer } from "hookporter";
 *
 * export async function statusOf(receiver: Receiver, delivery: Delivery) {
 *   return toAnswer(await receiver.accept(delivery)).status;
 * }
 * ```
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
      const { status, type, message, headers } = REFUSALS[outcome.reason];
      return failure(status, type, message, headers);
    }
    case "unavailable":
      return failure(503, "unavailable", "The delivery could not be stored; try again later.", {
        "Retry-After": RETRY_AFTER,
        ...(isClosed(outcome.error) && { Connection: "close" }), // so that the retry reaches another process
      });
    case "misconfigured":
      return failure(500, "server_error", "The receiver is not set up correctly; its log says why.");
  }
}

function isClosed(error: Error): boolean {
  return error instanceof HookporterError && error.code === "closed";
}

function closing(status: number, type: string, message: string) {
  return { status, type, message, headers: { Connection: "close" } };
}
