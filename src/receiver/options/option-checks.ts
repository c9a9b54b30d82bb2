import { isRecord } from "../../base/guards.ts";
import type { Logger } from "../../base/logger.ts";
import {
  type Check,
  checkMethods,
  invalid,
  syncFunction,
} from "../../base/options/check-options.ts";
import { storeOf } from "../../inbox/shared/handle.ts";
import type { Tracing } from "./tracing.ts";

type Methods<Names extends PropertyKey> = Readonly<Record<Names, true>>;
const TRACING_METHODS: Methods<keyof Tracing> = { delivery: true, attempt: true };
const LOG_METHODS: Methods<keyof Logger> = { debug: true, info: true, warn: true, error: true };

/**
 * A function's result is used at once, so it cannot be async. `readSecrets` checks the secret
 * itself and never shows it.
 */
export const checkSecret: Check = (given, name) => {
  if (typeof given === "function") {
    syncFunction("fetch it before, and return it from a function that is not async")(given, name);
  }
};

/** A string or a handle; `selectInbox` checks the string. */
export const checkInbox: Check = (given) => {
  if (typeof given !== "string") storeOf(given);
};

export const checkLog: Check = (given) => {
  const fix = "pass a logger such as pino's";
  checkMethods(given, "log to be a logger", { required: Object.keys(LOG_METHODS), fix });
};

export const checkTracing: Check = (given) => {
  checkMethods(given, "tracing to be made by createTracing", {
    required: Object.keys(TRACING_METHODS),
    fix: 'pass createTracing() of "hookporter/tracing"',
  });
};

export const checkDrift: Check = (given) => {
  checkMethods(given, "drift to be made by watchDrift", {
    required: ["differences"],
    fix: 'pass watchDrift("src/schemas.shape.json")',
  });
};

/** Shows only the invalid character of a name, since it may be a secret in the wrong place. */
export const checkHeaderName: Check = (given, name) => {
  const fix = "use letters, digits and hyphens, such as x-service-signature";
  const expected = `${name} to be the name of a header`;
  if (typeof given !== "string" || given === "") throw invalid(expected, given, fix);
  const [wrong] = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/u.exec(given) ?? [];
  if (wrong !== undefined)
    throw invalid(expected, given, `it contains ${JSON.stringify(wrong)}; ${fix}`);
};

export const checkSchemas: Check = (given) => {
  if (!isRecord(given)) {
    throw invalid("schemas to be an object from kind to schema", given, "pass { [kind]: schema }");
  }
  for (const [kind, schema] of Object.entries(given)) {
    if (schema === undefined || isStandardSchema(schema)) continue;
    const expected = `schemas[${JSON.stringify(kind)}] to be a Standard Schema`;
    throw invalid(
      expected,
      schema,
      "pass a schema of zod, valibot, arktype or another such library",
    );
  }
};

function isStandardSchema(schema: unknown): boolean {
  // Those of arktype are functions.
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = Reflect.get(schema, "~standard", schema);
  return isRecord(standard) && typeof standard.validate === "function";
}

export const checkHandlersOption: Check = (given) => {
  if (typeof given === "function" || isRecord(given)) return;
  const expected =
    "handlers to be a module of defineHandlers, an object from kind to handler, or a function";
  throw invalid(expected, given, "pass what the handlers module exports by default");
};
