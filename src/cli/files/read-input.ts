import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { inputError, unreadableFileError, usageError } from "../input-errors.ts";
import type { Io } from "../io.ts";

/** A larger input is not a body. */
const MAX_INPUT = 64 * 1024 * 1024;

export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    length += bytes.byteLength;
    if (length > MAX_INPUT) throw inputError("expected at most 64 MiB on standard input, got more");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a file, or standard input for `-` or no name. Throws `input_invalid` if there is no such
 * file, or standard input is a terminal.
 */
export async function readInput(io: Io, file: string | undefined): Promise<Buffer> {
  if (file === undefined || file === "-") {
    if (io.isTTY.stdin)
      throw inputError(
        "expected a file, or a body on standard input, got a terminal: name a file, or pipe the body in",
      );
    return readAll(io.stdin);
  }
  try {
    return readFileSync(resolve(io.cwd, file));
  } catch (thrown) {
    throw unreadableFileError(file, thrown);
  }
}

/** Standard input can be read only once, as the secret or as the body. */
export function refuseTwoInputs(
  file: string | undefined,
  options: { readonly secretStdin?: boolean },
): void {
  if (options.secretStdin !== true || (file !== undefined && file !== "-")) return;
  throw usageError("expected the body in a file, since --secret-stdin reads standard input");
}
