import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isPromiseLike } from "../base/guards.ts";
import { type DataProblem, schemaFault, toDataProblems } from "./data-problems.ts";
import { type PropertyCreated, propertyCreatedSchema } from "./property.ts";

/** A `data` object of which the service description shows nothing: any fields, none assumed. */
export type OpenObject = Record<string, unknown>;

/**
 * The user's schemas for `data`, by event kind, from any Standard Schema library (zod, valibot,
 * arktype …). A schema types the kind's handlers, and is checked before they run; `data` that does
 * not fit becomes a dead letter.
 */
export type DataSchemas = Readonly<Record<string, StandardSchemaV1>>;

/**
 * The type of `event.data` for a kind: the user's schema, else the documented shape, else an open
 * object.
 */
export type DataOf<Kind extends string, Schemas = object> = Kind extends keyof Schemas
  ? Schemas[Kind] extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schemas[Kind]>
    : OpenObject
  : Kind extends "property.created"
    ? PropertyCreated
    : OpenObject;

/** The result of checking `data`: the schema's output, or what does not fit. */
export type DataResult = { readonly ok: true; readonly data: unknown } | UnfitData;

/** `data` that cannot be handled: it does not fit its schema, or the schema itself failed. */
export interface UnfitData {
  readonly ok: false;
  readonly reason: "invalid_data" | "schema_failed";
  readonly problems: readonly DataProblem[];
  /** What the schema threw, if it failed. */
  readonly thrown?: unknown;
}

/**
 * Checks `data` against the user's schema of a kind, else the documented one. A promise only for an
 * async schema. Never throws or rejects, whatever the schema does.
 */
export function checkData(
  kind: string,
  data: OpenObject,
  schemas: DataSchemas,
): DataResult | Promise<DataResult> {
  const failed = (thrown: unknown) => schemaFailed(schemaFault(kind, thrown, data), thrown);
  try {
    const own = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
    const schema = own ?? documentedSchema(kind);
    if (schema === undefined) return { ok: true, data };
    const validated =
      own === undefined ? schema["~standard"].validate(data) : validateOnce(own, data);
    if (!isPromiseLike(validated)) return toDataResult(validated, data);
    return Promise.resolve(validated)
      .then((result) => toDataResult(result, data))
      .catch(failed);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** The result of a schema that is at fault itself. */
export function schemaFailed(problem: DataProblem, thrown?: unknown): UnfitData {
  return { ok: false, reason: "schema_failed", problems: [problem], thrown };
}

/** The method of zod's schemas, of which only zod's own say that they have it. */
interface ZodSchema {
  safeParseAsync(data: unknown): Promise<{
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] };
  }>;
}

/**
 * Checks `data` with the user's schema. The `validate` of zod begins an async check twice, and
 * drops the first promise: if that rejects, it ends the process. zod's own method runs each check
 * once.
 */
function validateOnce(schema: StandardSchemaV1, data: OpenObject) {
  const standard = schema["~standard"];
  if (standard.vendor !== "zod" || !isZodSchema(schema)) return standard.validate(data);
  return schema.safeParseAsync(data).then(({ success, data: value, error }) => {
    return success ? { value } : { issues: error?.issues ?? [] };
  });
}

function isZodSchema(schema: object): schema is ZodSchema {
  return "safeParseAsync" in schema && typeof schema.safeParseAsync === "function";
}

/**
 * How `data` does not fit the documented shape of its kind; nothing if it fits, or if there is no
 * such shape.
 */
export function documentedProblems(kind: string, data: OpenObject): readonly DataProblem[] {
  const error = documentedSchema(kind)?.safeParse(data).error;
  return error === undefined ? [] : toDataProblems(error.issues, data);
}

/**
 * The schema of a kind's documented `data`, if any (section "Property (as carried in a
 * `property.created` webhook, field `data`)").
 */
export function documentedSchema(kind: string): typeof propertyCreatedSchema | undefined {
  return kind === "property.created" ? propertyCreatedSchema : undefined;
}

/** Throws for what no Standard Schema returns. */
function toDataResult(result: StandardSchemaV1.Result<unknown>, data: OpenObject): DataResult {
  const { issues } = result;
  if (issues === undefined) {
    if ("value" in result) return { ok: true, data: result.value };
    throw new TypeError("expected its result to have value or issues, got neither");
  }
  if (!Array.isArray(issues)) throw new TypeError(`expected issues to be an array`);
  return { ok: false, reason: "invalid_data", problems: toDataProblems(issues, data) };
}
