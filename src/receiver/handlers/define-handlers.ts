import type { ConfigurationError } from "../../base/errors.ts";
import { isRecord } from "../../base/guards.ts";
import {
  type Check,
  checkedElsewhere,
  checkFunction,
  checkOptions,
  invalid,
  invalidOption,
} from "../../base/options/check-options.ts";
import { didYouMean } from "../../base/options/did-you-mean.ts";
import { givenOptions } from "../../base/options/given-options.ts";
import { checkKindPattern } from "../../event/kind-pattern.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import type { DataSchemas } from "../../event/schemas.ts";
import { checkSchemas } from "../options/option-checks.ts";
import { checkHandlerOptions, type HandlerOptions } from "./handler-options.ts";
import type { HandlersByKind, SchemasOption } from "./handler-types.ts";
import type { HandlerRegistry } from "./router.ts";

/** The same in every copy of this module, whether jiti, `require` or `import` loaded it. */
const BRAND = Symbol.for("hookporter.handlers");

/** Handlers by kind, or a function that registers or returns them. */
export type HandlersOption<Schemas = object, OtherKinds extends string = never> =
  | HandlersByKind<Schemas, OtherKinds>
  | ((registry: HandlerRegistry<Schemas, OtherKinds>) => void)
  | ((registry: HandlerRegistry<Schemas, OtherKinds>) => HandlersByKind<Schemas, OtherKinds>);

/** What {@link defineHandlers} takes. */
export interface HandlersDefinition<Schemas extends DataSchemas, OtherKinds extends string> {
  /** Additional event kinds, beyond the 12, such as `invoice.sent`. Default: none. */
  readonly otherKinds?: readonly OtherKinds[] | undefined;
  /** Your own schemas for `data`, by kind: any Standard Schema library. Default: none. */
  readonly schemas?: SchemasOption<Schemas, OtherKinds> | undefined;
  /** The handlers by kind or pattern, or a function that registers or returns them. */
  readonly handlers: HandlersOption<NoInfer<Schemas>, NoInfer<OtherKinds>>;
}

/** Handlers with their schemas, made by {@link defineHandlers}. */
export interface HandlersModule<
  Schemas extends DataSchemas = Record<never, never>,
  OtherKinds extends string = never,
> {
  readonly otherKinds: readonly OtherKinds[];
  readonly schemas: Schemas;
  // biome-ignore lint/suspicious/noExplicitAny: what it takes depends on the schemas, which are checked where it is made
  readonly handlers: any;
}

/**
 * Defines handlers together with their schemas, as one module that a server, `listen --handlers`,
 * `replay --handlers` and `createTestReceiver` share. Export the result by default.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import { defineHandlers } from "hookporter";
 * import { z } from "zod";
 *
 * export default defineHandlers({
 *   schemas: { "payment.received": z.looseObject({ amount: z.number() }) },
 *   handlers: {
 *     "payment.received": (event, { log }) => log.info({ amount: event.data.amount }, "paid"),
 *     "property.*": (event) => console.log(event.kind, event.data.id),
 *   },
 * });
 * ```
 */
export function defineHandlers<
  const Schemas extends DataSchemas = Record<never, never>,
  const OtherKinds extends string = never,
>(definition: HandlersDefinition<Schemas, OtherKinds>): HandlersModule<Schemas, OtherKinds> {
  checkOptions(definition, "the definition of handlers", CHECKS);
  const { otherKinds = [], schemas, handlers } = definition;
  if (handlers === undefined) throw noHandlers(handlers);
  const known = readOtherKinds(otherKinds);
  if (typeof handlers !== "function") checkHandlers(handlers, known);
  const checked = readSchemas(schemas, known);
  return Object.freeze({ [BRAND]: 1, otherKinds, schemas: checked as Schemas, handlers });
}

const CHECKS: Readonly<Record<keyof HandlersDefinition<DataSchemas, string>, Check>> = {
  otherKinds: checkedElsewhere,
  schemas: checkSchemas,
  handlers: (given) => {
    if (typeof given !== "function" && !isRecord(given)) throw noHandlers(given);
  },
};

function noHandlers(given: unknown): ConfigurationError {
  return invalid(
    "handlers to be an object from kind to handler, or a function (receiver) => void",
    given,
    "pass one",
  );
}

/** Whether a value was made by `defineHandlers`, of this copy of the package or another. */
export function isHandlersModule(value: unknown): value is HandlersModule<DataSchemas, string> {
  return isRecord(value) && (value as Record<symbol, unknown>)[BRAND] === 1;
}

export function handlerWithOptions(given: unknown): HandlerOptions & { readonly handler: unknown } {
  if (!isRecord(given)) return { handler: given };
  const { handler, transaction, ...options } = given;
  // Given both, `transaction` stays, and is refused as an option.
  return transaction === undefined || handler !== undefined
    ? { ...given, handler }
    : { ...options, handler: transaction, tx: true };
}

/**
 * The kinds that are known: the 12, and those that were declared. Throws a ConfigurationError
 * `option_invalid`.
 */
export function readOtherKinds(otherKinds: unknown): readonly string[] {
  if (!Array.isArray(otherKinds))
    throw invalid("otherKinds to be a list of kinds", otherKinds, 'pass ["invoice.sent"]');
  for (const kind of otherKinds) {
    if (typeof kind !== "string" || !/^[^\s*]+$/.test(kind)) {
      throw invalid("otherKinds to have kinds", kind, "pass a name such as invoice.sent");
    }
    if (isEventKind(kind))
      throw invalid("otherKinds to have other kinds than the 12", kind, `leave out ${kind}`);
  }
  return [...eventKinds, ...new Set<string>(otherKinds)];
}

/**
 * The given schemas; throws a ConfigurationError `option_invalid` if one is for a kind that is not
 * known.
 */
export function readSchemas(
  schemas: DataSchemas | undefined,
  known: readonly string[],
): DataSchemas {
  const given = givenOptions<DataSchemas>(schemas ?? {});
  for (const kind of Object.keys(given)) {
    if (known.includes(kind)) continue;
    const meant = didYouMean(kind, known);
    const fix =
      meant === undefined
        ? `declare it: otherKinds: [${JSON.stringify(kind)}]`
        : `did you mean ${meant}?`;
    throw invalidOption(
      `expected schemas of known kinds, got one of ${JSON.stringify(kind)}: ${fix}`,
    );
  }
  return given;
}

/** The schemas of both; throws `option_invalid` if a kind has two. */
export function mergeSchemas(a: DataSchemas, b: DataSchemas): DataSchemas {
  for (const [kind, schema] of Object.entries(b)) {
    if (!Object.hasOwn(a, kind) || a[kind] === schema) continue;
    throw invalidOption(`expected one schema for ${kind}, got two different ones: keep one`);
  }
  return { ...a, ...b };
}

function checkHandlers(handlers: object, known: readonly string[]): void {
  for (const [pattern, given] of Object.entries(handlers)) {
    checkKindPattern(pattern, known);
    if (given === undefined) continue;
    const { handler, ...options } = handlerWithOptions(given);
    checkFunction(handler, `the handler for ${pattern}`, "pass (event, context) => …");
    checkHandlerOptions(options, pattern);
  }
}
