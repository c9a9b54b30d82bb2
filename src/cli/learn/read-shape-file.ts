import { resolve } from "node:path";
import { describeError } from "../../errors.ts";
import type { Learned } from "../../learn/learned.ts";
import { readShapes } from "../../learn/shape-file.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../files/read-input.ts";
import { inputError } from "../input-errors.ts";

/** Reads a shape file. Throws `input_invalid` if it cannot be read, or is none. */
export async function readShapeFile(file: string, { io }: CliContext): Promise<Learned> {
  const bytes = await readInput(io, resolve(io.cwd, file));
  try {
    return readShapes(bytes.toString("utf8"));
  } catch (cause) {
    const text = `expected a shape file at ${file}, as \`hookporter types\` writes it; got another file (${describeError(cause)})`;
    throw inputError(text, cause);
  }
}
