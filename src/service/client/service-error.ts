import { brand, type ErrorCode, HookporterError } from "../../base/errors.ts";

/** The codes of a {@link ServiceError}. */
export type ServiceErrorCode = Extract<ErrorCode, `service_${string}`>;

/** The details of a failed request. */
export interface ServiceErrorDetails {
  readonly code: ServiceErrorCode;
  /** One line, without a key. */
  readonly message: string;
  /** The response's status, if there was a response. */
  readonly status?: number | undefined;
  /** `error.type` of the response; the description shows only `invalid_request`. */
  readonly type?: string | undefined;
  /** `error.field` of the response: the invalid field. */
  readonly field?: string | undefined;
  /** `error.message` of the response. */
  readonly serviceMessage?: string | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter?: number | undefined;
  /**
   * Whether the service may have carried out the request in any attempt despite the error. Always
   * false for a GET.
   */
  readonly mayHaveHappened: boolean;
  readonly cause?: unknown;
}

/**
 * A failed request to the service (service description, "Errors"). Never contains a key or a
 * webhook secret.
 *
 * @example
 * ```ts
 * import { createClient, ServiceError } from "hookporter/client";
 *
 * const client = createClient({ baseUrl: "https://api.example.com", apiKey: process.env.HOOKPORTER_API_KEY });
 * try {
 *   await client.properties.list({ perPage: 50 });
 * } catch (error) {
 *   if (!(error instanceof ServiceError) || error.code !== "service_rate_limited") throw error;
 *   console.error(`wait ${error.retryAfter ?? 60_000} ms`);
 * }
 * ```
 */
export class ServiceError extends HookporterError {
  static {
    brand(ServiceError, "ServiceError");
  }

  override readonly name = "ServiceError";
  declare readonly code: ServiceErrorCode;
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly field: string | undefined;
  readonly serviceMessage: string | undefined;
  readonly retryAfter: number | undefined;
  readonly mayHaveHappened: boolean;
  /** Number of requests sent or attempted. */
  readonly attempts: number;

  constructor(details: ServiceErrorDetails, attempts: number) {
    const { code, message, cause } = details;
    super(code, message, cause === undefined ? {} : { cause });
    this.status = details.status;
    this.type = details.type;
    this.field = details.field;
    this.serviceMessage = details.serviceMessage;
    this.retryAfter = details.retryAfter;
    this.mayHaveHappened = details.mayHaveHappened;
    this.attempts = attempts;
  }
}
