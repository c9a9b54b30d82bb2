import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type PropertyCreated, propertyCreatedSchema } from "./property.ts";

/** A `data` object of which the service description shows nothing: any fields, none assumed. */
export type OpenObject = Record<string, unknown>;

/**
 * The user's schemas for `data`, by event kind, from any Standard Schema library (zod, valibot, arktype …). A schema
 * types the kind's handlers, and is checked before they run; `data` that does not fit becomes a dead letter.
 */
export type DataSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** The type of `event.data` for a kind: the user's schema, else the documented shape, else an open object. */
export type DataOf<Kind extends string, Schemas = object> = Kind extends keyof Schemas
  ? Schemas[Kind] extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schemas[Kind]>
    : OpenObject
  : Kind extends "property.created"
    ? PropertyCreated
    : OpenObject;

/** The result of checking `data`: the schema's output, or what does not fit and where. */
export type DataResult =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly field: string; readonly message: string };

/**
 * Checks the `data` of a kind against the user's schema, else the documented one; `data` of other kinds is not checked.
 * Returns a promise only if the schema is asynchronous.
 */
export function checkData(
  kind: string,
  data: OpenObject,
  schemas: DataSchemas,
): DataResult | Promise<DataResult> {
  const own = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
  const schema = own ?? documentedSchema(kind);
  if (schema === undefined) return { ok: true, data };
  const validated = schema["~standard"].validate(data);
  return validated instanceof Promise ? validated.then(toDataResult) : toDataResult(validated);
}

/** Whether `data` fits the documented shape of its kind, if there is one. */
export function fitsDocumented(kind: string, data: OpenObject): boolean {
  return documentedSchema(kind)?.safeParse(data).success ?? true;
}

/**
 * The schema of a kind's documented `data`, if any (section "Property (as carried in a `property.created` webhook, field
 * `data`)").
 */
function documentedSchema(kind: string): typeof propertyCreatedSchema | undefined {
  return kind === "property.created" ? propertyCreatedSchema : undefined;
}

function toDataResult(result: StandardSchemaV1.Result<unknown>): DataResult {
  if (result.issues === undefined) return { ok: true, data: result.value };
  const [issue] = result.issues;
  const path = (issue?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return {
    ok: false,
    field: ["data", ...path].join("."),
    message: issue?.message ?? "does not fit its schema",
  };
}
