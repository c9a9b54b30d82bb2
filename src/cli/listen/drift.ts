import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Receiver } from "../../receiver/receiver.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_OUT, shapesBeside } from "../learn/learn-options.ts";
import { beneath, type LiveRow, rowLines } from "../live/row.ts";
import { printable } from "../output.ts";
import { watchDrift } from "../types/drift.ts";

/**
 * The receiver's option `drift`, if there is a shape file. Throws `option_invalid` if the file is
 * no shape file.
 */
export function driftOption({ shapes }: { readonly shapes?: string }, { io }: CliContext) {
  const file = resolve(io.cwd, shapes ?? shapesBeside(DEFAULT_OUT.zod));
  return shapes === undefined && !existsSync(file) ? {} : { drift: watchDrift(file) };
}

/** Says when events begin to differ from the shape file; returns a function that ends it. */
export function printDrift(receiver: Receiver, { output, clock }: CliContext): () => void {
  return receiver.onDrift(({ kind, path, what, expected, got, seq, eventId }) => {
    const row: LiveRow = { time: clock(), seq, mark: "warning", what: kind, word: "differs" };
    const difference = `${printable(path, 200)}: ${what}, expected ${expected}, got ${got}`;
    for (const line of [...rowLines(row, output), ...beneath([difference], output)])
      output.data(line);
    output.record("drift", { kind, path, change: what, expected, got, seq, id: eventId });
  });
}
