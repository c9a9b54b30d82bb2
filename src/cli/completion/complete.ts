import type { CliContext } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { printable } from "../output.ts";
import { createProgram } from "../program.ts";
import { FILES } from "./completion-options.ts";
import { completionsOf } from "./completions.ts";

/**
 * Prints what the last of the words may become; never an error, since a person is typing. It opens
 * no file of the folder.
 */
export function complete(words: readonly string[], context: CliContext): ExitCode {
  const { words: found, files } = completionsOf(createProgram(context), words);
  const lines = found.map(({ word, about }) => `${word}\t${printable(about, 80)}`);
  if (files) lines.push(FILES);
  if (lines.length > 0) context.io.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}
