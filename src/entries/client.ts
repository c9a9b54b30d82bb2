/** The entry point of `hookporter/client`, the service's API. Re-exports only. */

export {
  type ClientErrorCode,
  ConfigurationError,
  type ConfigurationErrorCode,
  type ErrorCode,
  HookporterError,
} from "../base/errors.ts";
export type { RetryOptions, RetryPolicy } from "../base/options/retry.ts";
export type { DataProblem } from "../event/data-problems.ts";
export type { EventKind } from "../event/kinds.ts";
export type { AssumptionOptions, Assumptions } from "../service/client/assumptions.ts";
export { type Client, createClient } from "../service/client/client.ts";
export type { ClientOptions, RetryNotice } from "../service/client/client-options.ts";
export type { Environment } from "../service/client/credential.ts";
export type {
  FittingItem,
  ListedItem,
  MisfitItem,
  Page,
  PageMeta,
} from "../service/client/page.ts";
export type {
  FieldSelection,
  ListedProperty,
  ListOptions,
  PropertiesApi,
  Property,
  SelectedProperty,
} from "../service/client/properties.ts";
export {
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails,
} from "../service/client/service-error.ts";
export type {
  CreatedSubscription,
  NewSubscription,
  WebhooksApi,
} from "../service/client/webhooks.ts";
