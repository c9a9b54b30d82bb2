import type { DataSchemas } from "../../event/schemas.ts";
import type { ReceiverOptions } from "../options/receiver-options.ts";
import {
  type HandlersModule,
  isHandlersModule,
  mergeSchemas,
  readOtherKinds,
  readSchemas,
} from "./define-handlers.ts";
import { HandlerSet } from "./handler-set.ts";

/**
 * The kinds and schemas of a receiver's options, without handlers.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function declaredHandlers({
  otherKinds = [],
  schemas,
  handlers,
}: Pick<ReceiverOptions, "otherKinds" | "schemas" | "handlers">): HandlerSet {
  const kinds = readOtherKinds(otherKinds);
  // A module of handlers may declare the kinds that these are for.
  const known = isHandlersModule(handlers) ? [...kinds, ...handlers.otherKinds] : kinds;
  return new HandlerSet({ kinds, schemas: readSchemas(schemas, known) });
}

/**
 * The same with the kinds and schemas of a module; throws `option_invalid` if a kind has two
 * schemas.
 */
export function withDeclared(
  own: HandlerSet,
  { otherKinds, schemas }: HandlersModule<DataSchemas, string>,
): HandlerSet {
  return own.with({
    kinds: [...new Set([...own.kinds, ...otherKinds])],
    schemas: mergeSchemas(own.schemas, schemas),
  });
}
