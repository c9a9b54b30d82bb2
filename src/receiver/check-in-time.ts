import { isPromiseLike } from "../base/is-promise-like.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Envelope } from "../event/envelope.ts";
import { checkData, type DataResult, type DataSchemas } from "../event/schemas.ts";
import { invalidOption } from "../options/check-options.ts";

/**
 * What an event's schema says of its `data`; rejects with `option_invalid` if the user's own does
 * not say so within `ms`, as the sender is waiting.
 */
export function checkInTime(
  { event, data }: Pick<Envelope, "event" | "data">,
  schemas: DataSchemas,
  ms: number,
): DataResult | Promise<DataResult> {
  const checking = checkData(event, data, schemas);
  return isPromiseLike(checking) ? decidesInTime(checking, event, ms) : checking;
}

async function decidesInTime(
  checking: Promise<DataResult>,
  kind: string,
  ms: number,
): Promise<DataResult> {
  const decided = await withTimeout(checking, ms, () => undefined);
  if (decided !== undefined) return decided;
  throw invalidOption(
    `expected the schema of ${kind} to decide within ${ms} ms, got no result: make it faster`,
  );
}
