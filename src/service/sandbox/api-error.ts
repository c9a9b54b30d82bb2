/**
 * The statuses of the service (service description, "Errors"); 403 and 404 are the sandbox's own.
 */
export type ApiStatus = 400 | 401 | 403 | 404 | 429 | 500;

/** An error response before it is written. */
export interface ApiError {
  readonly status: ApiStatus;
  /**
   * `invalid_request` is documented; the other values are the sandbox's own (section "Errors", rule
   * 3).
   */
  readonly type:
    | "invalid_request"
    | "unauthorized"
    | "forbidden"
    | "not_found"
    | "rate_limited"
    | "server_error";
  readonly message: string;
  readonly field?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error object as sent (service description, "Errors"). */
export function errorBody({ type, message, field }: ApiError): object {
  return { error: { type, message, ...(field !== undefined && { field }) } };
}

/** A required field is missing or invalid: 400, with the field (section "Errors", rule 1). */
export function invalid(message: string, field?: string): ApiError {
  return { status: 400, type: "invalid_request", message, ...(field !== undefined && { field }) };
}

/** The credential is missing or invalid (service description, "Authentication" 3). */
export function unauthorized(message: string): ApiError {
  return { status: 401, type: "unauthorized", message };
}

/**
 * The rate limit is reached (service description, "Limits"); the `Retry-After` is an assumption.
 */
export function rateLimited(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return {
    status: 429,
    type: "rate_limited",
    message: `too many requests: retry in ${seconds} s`,
    headers: { "Retry-After": String(seconds) },
  };
}
