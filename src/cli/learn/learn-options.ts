import type { SelectOptions } from "../events/selection.ts";
import { UnexpectedValue } from "../input-errors.ts";
import { listOf, repeated } from "../settings/values.ts";

export type TypesFormat = "zod" | "typescript" | "json-schema";

/** The formats of `types`, the default first. */
export const TYPES_FORMATS: readonly TypesFormat[] = ["zod", "typescript", "json-schema"];

export interface EventSelection extends Pick<SelectOptions, "inbox" | "kind" | "source" | "since"> {
  /** Whether made-up events are read too. */
  readonly withSamples?: boolean;
}

export interface TypesOptions extends EventSelection {
  readonly out?: string;
  readonly shapes?: string;
  readonly format?: TypesFormat;
  readonly enums?: readonly EnumPath[];
  /** Schemas refuse what has the right type, but another format. */
  readonly strict?: boolean;
  readonly merge?: boolean;
  readonly force?: boolean;
  readonly check?: boolean;
  readonly diff?: string;
}

/** A place whose strings become an enum. */
export interface EnumPath {
  /** Absent: of every kind. */
  readonly kind?: string;
  /** As in `data.lines[].type`. */
  readonly path: string;
}

export const DEFAULT_OUT: Readonly<Record<TypesFormat, string>> = {
  zod: "src/schemas.ts",
  typescript: "src/schemas.ts",
  "json-schema": "src/schemas.json",
};

/** The shape file next to schemas: `src/schemas.ts` has `src/schemas.shape.json`. */
export function shapesBeside(out: string): string {
  return out.replace(/\.[cm]?[jt]s(?:on)?$/, "").concat(".shape.json");
}

/** A path such as `data.status`, or `payment.received:data.status`; a repeated flag adds to it. */
export const readEnumPath = repeated(readPath);

function readPath(text: string): EnumPath {
  const [, kind, path] = /^(?:([^:\s]+):)?(data(?:\.[^.[\]\s]+|\[\])+)$/.exec(text.trim()) ?? [];
  if (path === undefined)
    throw new UnexpectedValue("a path such as data.status, or payment.received:data.status");
  return kind === undefined ? { path } : { kind, path };
}

/**
 * A comma-separated list of kinds or families, also of kinds that this version does not know; a
 * repeated flag adds to it.
 */
export const readAnyKinds = listOf(
  (pattern) => /^(?:\*|[\p{ID_Continue}.:-]+(?:\.\*)?)$/u.test(pattern),
  "kinds or families such as payment.* or invoice.sent",
);

/** A path such as `data.status`; a repeated flag adds to it. */
export const readDataPath = repeated((text) => {
  const { kind, path } = readPath(text);
  if (kind === undefined) return path;
  throw new UnexpectedValue("a path such as data.status");
});
