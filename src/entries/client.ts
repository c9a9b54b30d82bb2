/** The entry point of `hookporter/client`, the service's API. Re-exports only. */

export {
  type ClientErrorCode,
  ConfigurationError,
  type ConfigurationErrorCode,
  type ErrorCode,
  HookporterError,
} from "../base/errors.ts";
export type { AssumptionOptions, Assumptions } from "../client/assumptions.ts";
export { type Client, createClient } from "../client/client.ts";
export type { ClientOptions, RetryNotice } from "../client/client-options.ts";
export type { Environment } from "../client/credential.ts";
export type { FittingItem, ListedItem, MisfitItem, Page, PageMeta } from "../client/page.ts";
export type {
  FieldSelection,
  ListedProperty,
  ListOptions,
  PropertiesApi,
  Property,
  SelectedProperty,
} from "../client/properties.ts";
export {
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails,
} from "../client/service-error.ts";
export type { CreatedSubscription, NewSubscription, WebhooksApi } from "../client/webhooks.ts";
export type { DataProblem } from "../event/data-problems.ts";
export type { EventKind } from "../event/kinds.ts";
export type { RetryOptions, RetryPolicy } from "../options/retry.ts";
