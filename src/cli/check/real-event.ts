import type { Envelope } from "../../event/envelope.ts";
import { memberAt } from "../../event/field-path.ts";
import { readEnvelope } from "../../event/read-envelope.ts";
import { parseSaved } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../files/read-input.ts";
import { inputError, usageError } from "../input-errors.ts";

export interface RealEventOptions {
  readonly event?: string;
  readonly vary?: string;
  readonly observe?: string;
}

/**
 * Reads an event in place of the sample: an envelope, or a saved delivery. Throws `usage` if the
 * options contradict each other; `input_invalid` if the file is no event.
 */
export async function readRealEvent(
  { event: file, vary, observe }: RealEventOptions,
  { io, output }: CliContext,
): Promise<{ readonly event?: Envelope; readonly vary?: string }> {
  if (file === undefined) {
    if (vary === undefined) return {};
    throw usageError("expected --event beside --vary, got none: samples vary by themselves");
  }
  const bytes = await readInput(io, file);
  const read = readEnvelope(parseSaved(bytes, file)?.body ?? bytes);
  if (!read.ok) throw inputError(`${file}: ${read.rejection.message}`);
  const { envelope: event } = read;
  if (vary === undefined) {
    if (observe !== undefined && !observe.includes("{event-id}"))
      throw usageError(
        "expected --vary, or {event-id} in --observe, with --event: all its events have the same data.id otherwise",
      );
  } else if (!/^(?:string|number)$/.test(typeof memberAt(event, vary.split("."))))
    throw usageError(`expected --vary to name a text or a number of the event, got ${vary}`);
  output.talk(
    `warning: ${file} runs as a real ${event.event} each time it is confirmed; only its timestamp changes${vary === undefined ? "" : `, and ${vary}`}`,
  );
  return { event, ...(vary !== undefined && { vary }) };
}
