import { describeError } from "../../base/errors.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../output.ts";

/**
 * Lets a command that serves others go on when the reader of its output goes away, does not read,
 * or has no room. Says so once on the other stream.
 */
export function outliveOutput({ io, output }: CliContext): void {
  output.dropUnread();
  io.onBrokenOutput(({ name, error }) => {
    const line = `cannot write to ${name} any more (${printable(describeError(error), 200)}): going on without it`;
    if (name === "standard output") output.talk(line);
    else output.data(line);
  });
}
