import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { MAX_INPUT, notAFile, readRegular, TOO_LARGE } from "../../base/system/files.ts";
import { inputError, unreadableFileError, usageError } from "../input-errors.ts";
import type { Io } from "../io.ts";

export async function readAll(
  stream: Readable,
  tooLarge = (): Error => inputError("expected at most 64 MiB on standard input, got more"),
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    length += bytes.byteLength;
    if (length > MAX_INPUT) throw tooLarge();
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
    return await readNamed(resolve(io.cwd, file));
  } catch (thrown) {
    throw unreadableFileError(file, thrown);
  }
}

/**
 * Reads a file that a person named: their word, so it may be a link to anywhere, and a pipe, as of
 * `<(command)` in a shell, or a device, which is read to its end as standard input is.
 */
export async function readNamed(path: string): Promise<Buffer> {
  return statSync(path).isFile()
    ? readRegular(path)
    : readAll(openStream(path), () => new Error(TOO_LARGE));
}

/** The same as a stream, of any size. */
export function openStream(path: string): Readable {
  const found = statSync(path);
  if (found.isFile() || found.isFIFO() || found.isCharacterDevice()) return createReadStream(path);
  throw notAFile(found);
}

/** Standard input can be read only once, as the secret or as the body. */
export function refuseTwoInputs(
  file: string | undefined,
  options: { readonly secretStdin?: boolean },
): void {
  if (options.secretStdin !== true || (file !== undefined && file !== "-")) return;
  throw usageError("expected the body in a file, since --secret-stdin reads standard input");
}
