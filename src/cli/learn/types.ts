import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ownCommand } from "../../base/package/own-command.ts";
import { diffLines } from "../../base/text/diff-lines.ts";
import { isEventKind } from "../../event/kinds.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../files/read-input.ts";
import { writeOut } from "../files/replace-file.ts";
import { inputError, usageError } from "../input-errors.ts";
import { knownKeys, placeOf } from "../types/data-type.ts";
import { jsonSchema } from "../types/json-schema.ts";
import {
  type EditedBlock,
  ENOUGH_EVENTS,
  handWritten,
  mergeSchemas,
  takesOthers,
  writeSchemas,
} from "../types/schemas-file.ts";
import { inOrder, type Learned } from "../types/shape.ts";
import { writeShapes } from "../types/shape-file.ts";
import { learnEvents } from "./learn-events.ts";
import { DEFAULT_OUT, shapesBeside, type TypesFormat, type TypesOptions } from "./learn-options.ts";
import { readShapeFile } from "./learned-data.ts";

/** The argument of `--out` that means standard output. */
const STDOUT = "-";

const PASS_ON = "write `otherKinds` into the file with --force, and pass it to defineHandlers";

/** Marks a JSON Schema that was written here, so that no other file is replaced. */
const MADE_BY = "learned by hookporter types";

/** `types`: learns schemas from events, and says where events differ from them. */
export async function runTypes(
  what: readonly string[],
  options: TypesOptions,
  context: CliContext,
) {
  const { check, merge, force, diff } = options;
  const modes = [check === true, diff !== undefined, merge === true || force === true];
  if (modes.filter(Boolean).length > 1)
    throw usageError(
      "expected one of --check, --diff, and --merge or --force, got several: remove the others",
    );
  if (check === true) await (await import("./check.ts")).checkTypes(what, options, context);
  else if (diff !== undefined)
    await (await import("./diff.ts")).diffTypes(what, { ...options, diff }, context);
  else await writeTypes(what, options, context);
}

async function writeTypes(what: readonly string[], options: TypesOptions, context: CliContext) {
  const { format = "zod" } = options;
  const out = options.out ?? DEFAULT_OUT[format];
  const found = out === STDOUT ? undefined : await readOut(out, { ...options, format }, context);
  const learned = await learnEvents(what, options, context);
  const kept = options.force === true ? undefined : found;
  const { text, edited } = sourceOf(learned, { format, strict: options.strict }, kept);
  if (out === STDOUT) context.output.writeStdout(Buffer.from(text));
  else write(out, text, context);
  const shapes = options.shapes ?? (out === STDOUT ? undefined : shapesBeside(out));
  if (shapes !== undefined) {
    const hasNone = options.force === true || !existsSync(resolve(context.io.cwd, shapes));
    const others = hasNone ? [] : await readShapeFile(shapes, context); // of other kinds
    write(shapes, writeShapes(new Map([...others, ...learned])), context);
  }
  const hasOthers = kept === undefined || format === "json-schema" || takesOthers(kept, format);
  report(learned, { out, shapes, edited, hasOthers }, context);
}

interface Written {
  readonly out: string;
  readonly shapes: string | undefined;
  readonly edited: readonly EditedBlock[];
  /** Whether the file can list kinds that this version does not know. */
  readonly hasOthers: boolean;
}

/**
 * The text of an existing file, or `undefined`. Throws `input_invalid` if replacing it would
 * discard edits.
 */
async function readOut(
  out: string,
  { format, merge, force }: TypesOptions & { readonly format: TypesFormat },
  { io }: CliContext,
): Promise<string | undefined> {
  if (!existsSync(resolve(io.cwd, out))) return undefined;
  const text = (await readInput(io, out)).toString("utf8");
  if (merge === true || force === true) return text;
  const refuse = (why: string, fix: string) =>
    inputError(`${out} ${why}: ${fix}, --force replaces the file, --out names another`);
  if (format === "json-schema") {
    if (!text.includes(MADE_BY))
      throw refuse(`was not written by \`${ownCommand("types")}\``, "remove it");
    return text;
  }
  const { edited, hasOwnCode } = handWritten(text, format);
  if (edited.length > 0)
    throw refuse(`was edited (${edited.join(", ")})`, "--merge keeps the edited parts");
  if (hasOwnCode) throw refuse("has code of your own", "--merge keeps it");
  return text;
}

function sourceOf(
  learned: Learned,
  {
    format,
    strict = false,
  }: { readonly format: TypesFormat; readonly strict: boolean | undefined },
  found: string | undefined,
): Pick<Written, "edited"> & { readonly text: string } {
  if (format === "json-schema") return { text: jsonSchemaText(learned, strict), edited: [] };
  const style = { format, strict };
  return found === undefined
    ? { text: writeSchemas(learned, style), edited: [] }
    : mergeSchemas(found, learned, style);
}

function jsonSchemaText(learned: Learned, isStrict: boolean): string {
  const kinds = inOrder(learned);
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment: `${MADE_BY}: data by event kind`,
    $defs: Object.fromEntries(
      kinds.map(([kind, { shape }]) => [kind, jsonSchema(placeOf(shape), isStrict)]),
    ),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function report(
  learned: Learned,
  { out, shapes, edited, hasOthers }: Written,
  { output, io }: CliContext,
) {
  for (const [kind, { events, shape }] of inOrder(learned)) {
    const { fields, leftOut, entries } = knownKeys(shape);
    const isOther = !isEventKind(kind);
    const notes = [
      ...(isOther && hasOthers ? ["not one of the 12 kinds: in otherKinds"] : []),
      ...(isOther && !hasOthers ? [`not one of the 12 kinds, so not in schemas: ${PASS_ON}`] : []),
      ...(fields.size > 0 && entries !== undefined ? ["keys that look like data left out"] : []),
      ...(leftOut > 0 ? [`${leftOut} seen once and left out`] : []),
      ...(events < ENOUGH_EVENTS ? [`weak: fewer than ${ENOUGH_EVENTS} events`] : []),
    ];
    const counts = `${String(events).padStart(7)} ${events === 1 ? "event " : "events"}${String(fields.size).padStart(4)} ${fields.size === 1 ? "field " : "fields"}`;
    output.talk(`${kind.padEnd(20)}${counts}${notes.length > 0 ? `  ${notes.join("; ")}` : ""}`);
    output.record("schema", { kind, events, fields: fields.size, leftOut });
  }
  for (const { name, own, learned: text } of edited) {
    output.talk(`${out}: ${name} was edited and left alone; it would become:`);
    for (const { change, text: line } of diffLines(own.split("\n"), text.split("\n")))
      if (change !== "same") output.talk(`  ${change === "added" ? "+" : "-"} ${line}`);
  }
  const files = [...(out === STDOUT ? [] : [out]), ...(shapes === undefined ? [] : [shapes])];
  if (files.length > 0) output.talk(`wrote ${files.join(" and ")}`);
  const names = edited.map(({ name }) => name);
  output.record("types", { files: files.map((file) => resolve(io.cwd, file)), edited: names });
}

function write(file: string, text: string, { io }: CliContext): void {
  writeOut(resolve(io.cwd, file), text, file, true);
}
