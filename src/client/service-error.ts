import { type ErrorCode, HookporterError } from "../errors.ts";

/** The codes of a {@link ServiceError}. */
export type ServiceErrorCode = Extract<ErrorCode, `service_${string}`>;

/** What is known of a request that failed. */
export interface ServiceErrorDetails {
  readonly code: ServiceErrorCode;
  /** One line, without a key. */
  readonly message: string;
  /** The answer's status, where one came. */
  readonly status?: number | undefined;
  /** `error.type` of the answer; `invalid_request` is the only value the description gives. */
  readonly type?: string | undefined;
  /** `error.field` of the answer: the field that was wrong. */
  readonly field?: string | undefined;
  /** `error.message` of the answer. */
  readonly serviceMessage?: string | undefined;
  /** Milliseconds the service asked to wait. */
  readonly retryAfter?: number | undefined;
  /** Whether the service may have done what was asked, in any attempt, although no good answer came. Always false for a GET. */
  readonly mayHaveHappened: boolean;
  readonly cause?: unknown;
}

/** A request to the service that failed (service description, "Errors"). It never holds a key or a webhook secret. */
export class ServiceError extends HookporterError {
  override readonly name = "ServiceError";
  declare readonly code: ServiceErrorCode;
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly field: string | undefined;
  readonly serviceMessage: string | undefined;
  readonly retryAfter: number | undefined;
  readonly mayHaveHappened: boolean;
  /** Requests that were sent, or tried to be. */
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
