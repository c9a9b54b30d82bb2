import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { seededRandom } from "../../relay/random.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../files/read-input.ts";
import { inputError } from "../input-errors.ts";
import { placeOf } from "../types/data-type.ts";
import { sampleValue } from "../types/sample-value.ts";
import type { Learned } from "../types/shape.ts";
import { readShapes } from "../types/shape-file.ts";
import { DEFAULT_OUT, shapesBeside } from "./learn-options.ts";

/**
 * Returns what makes up `data` from a shape file, and says so; nothing if there is none. Throws
 * `input_invalid` if the file is no shape file.
 */
export async function learnedData(
  options: { readonly shapes?: string | false },
  context: CliContext,
) {
  const found = await findLearnedData(options, context);
  if (found === undefined) return undefined;
  context.output.talk(`data made up from ${found.file}; --no-shapes sends the built-in samples`);
  return found.data;
}

/**
 * What makes up `data` from a shape file; nothing if there is none. Throws `input_invalid` if the
 * file is no shape file.
 */
export async function findLearnedData(
  { shapes }: { readonly shapes?: string | false },
  context: CliContext,
) {
  const file = shapes === undefined ? shapesBeside(DEFAULT_OUT.zod) : shapes;
  if (file === false || (shapes === undefined && !existsSync(resolve(context.io.cwd, file))))
    return undefined;
  const learned = await readShapeFile(file, context);
  const data = (kind: string, seed: number) => {
    const known = learned.get(kind);
    return known && JSON.stringify(sampleValue(placeOf(known.shape), seededRandom(seed)));
  };
  return { file, data, learned };
}

/** Reads a shape file. Throws `input_invalid` if it cannot be read, or is none. */
export async function readShapeFile(file: string, { io }: CliContext): Promise<Learned> {
  const bytes = await readInput(io, resolve(io.cwd, file));
  try {
    return readShapes(bytes.toString("utf8"));
  } catch (cause) {
    const text = `expected a shape file at ${file}, as \`${ownCommand("types")}\` writes it; got another file (${describeError(cause)})`;
    throw inputError(text, cause);
  }
}
