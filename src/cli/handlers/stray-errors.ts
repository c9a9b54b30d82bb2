import { describeError } from "../../base/errors.ts";
import { isError } from "../../base/guards.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../output.ts";

/**
 * Keeps the process alive if the user's code fails where nothing awaits it: in a promise that a
 * handler started but did not await, or in a timer. Prints one line for each error; returns a stop
 * function.
 */
export function watchStrayErrors(
  { io, output, debug }: CliContext,
  onError: () => void,
): () => void {
  return io.onStray((thrown) => {
    onError();
    const text = printable(describeError(thrown), 500);
    output.talk(
      `error outside any awaited handler: ${text} (await what a handler starts, or catch it there)`,
    );
    if (debug && isError(thrown)) output.talk(String(thrown.stack));
  });
}
