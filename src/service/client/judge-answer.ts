import * as z from "zod";
import { redact } from "../../base/text/redact.ts";
import { tryOr } from "../../base/try-or.ts";
import { readRetryAfter } from "../../http/retry-after.ts";
import type { ServiceErrorCode, ServiceErrorDetails } from "./service-error.ts";

/** A failure, and whether the same request may be retried. */
export interface Failure extends ServiceErrorDetails {
  readonly isRetryable: boolean;
}

/** A response as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** `undefined` if it was too large or incomplete. */
  readonly bytes: Uint8Array | undefined;
}

/** Advice to add to an error; the service's own message comes first. */
const ADVICE: Readonly<Record<number, string>> = {
  400: "correct the request",
  401: "check that the API key or access token is complete, and belongs to this base URL",
  404: "check the base URL, which must not contain the version",
  429: "send fewer requests per minute",
};

/**
 * The failure for a response that is not 2xx. After 429 and 500 any request is retried, as the
 * description asks for ("Errors" 2), although a POST may have been carried out before a 500. After
 * another 5xx, which the description does not mention, a POST is not retried, since the API cannot
 * list or delete what was created twice.
 *
 * @param secrets - texts that must not appear in an error
 */
export function judgeFailure(
  { status, headers, bytes }: RawAnswer,
  { method, path }: { readonly method: "GET" | "POST"; readonly path: string },
  secrets: readonly string[],
  now: number,
): Failure {
  const label = `${method} ${path}`;
  const isPost = method === "POST";
  if (status < 400) {
    const location = headers.get("location") ?? "";
    const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : "";
    return {
      code: "service_answer_invalid",
      message: `${label}: expected 2xx, got ${status}, a redirect${target}, which is not followed, since the key is sent only to baseUrl: check the base URL`,
      status,
      isRetryable: false,
      mayHaveHappened: isPost,
    };
  }
  const error = readErrorObject(bytes);
  const clean = (text: string | undefined) =>
    text === undefined ? undefined : redact(text, secrets);
  const type = clean(error.type);
  const field = clean(error.field);
  const serviceMessage = clean(error.message);
  const said = [type, serviceMessage === undefined ? undefined : `"${serviceMessage}"`].filter(
    (part) => part !== undefined,
  );
  const parts = [
    `${label}: expected 2xx, got ${status}`,
    said.length > 0 && `, ${said.join(" ")}`,
    field !== undefined && ` (field ${field})`,
    ADVICE[status] !== undefined && `: ${ADVICE[status]}`,
  ];
  return {
    code: codeOf(status),
    message: parts.filter((part) => part !== false).join(""),
    status,
    type,
    field,
    serviceMessage,
    retryAfter: readRetryAfter(headers.get("retry-after"), now),
    isRetryable: status === 429 || status === 500 || (status > 500 && !isPost),
    mayHaveHappened: status >= 500 && isPost,
  };
}

function codeOf(status: number): ServiceErrorCode {
  if (status === 401) return "service_unauthorized";
  if (status === 429) return "service_rate_limited";
  return status >= 500 ? "service_failed" : "service_refused";
}

/**
 * The error object (service description, "Errors"). Every part is optional, since a response may
 * lack it.
 */
const errorBodySchema = z.looseObject({
  error: z.looseObject({
    type: z.string().optional().catch(undefined),
    message: z.string().optional().catch(undefined),
    field: z.string().optional().catch(undefined),
  }),
});

/** Reads the error object from a response's body; a response without one still has its status. */
function readErrorObject(
  body: Uint8Array | undefined,
): Partial<z.infer<typeof errorBodySchema>["error"]> {
  return tryOr(() => {
    const parsed = errorBodySchema.safeParse(JSON.parse(Buffer.from(body ?? []).toString("utf8")));
    return parsed.success ? parsed.data.error : {};
  }, {}); // not JSON, such as a proxy's error page
}
