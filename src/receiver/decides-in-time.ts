import { withTimeout } from "../base/with-timeout.ts";
import type { DataResult } from "../event/schemas.ts";
import { invalidOption } from "../options/check-options.ts";

/**
 * The result of the user's schema, or `option_invalid`: the sender is waiting, so it has at most
 * `ms` to decide.
 */
export async function decidesInTime(
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
