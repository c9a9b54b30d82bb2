import { isPromiseLike } from "../base/is-promise-like.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { DataProblem } from "../event/data-problems.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import { invalidOption } from "../options/check-options.ts";
import type { Settings } from "./options/settings.ts";

/**
 * The result of the user's schema, or `option_invalid`: the sender is waiting, so it has at most
 * `bodyTimeout` to decide.
 */
export async function decidesInTime(checking: Promise<DataResult>, kind: string, ms: number) {
  const decided = await withTimeout(checking, ms, () => undefined);
  if (decided !== undefined) return decided;
  throw invalidOption(
    `expected the schema of ${kind} to decide within ${ms} ms, got no result: make it faster`,
  );
}

/**
 * Checks an entry's `data` again; empty for an entry that is not an event, or whose delivery was
 * deleted.
 */
export async function recheckEntry(
  seq: number,
  settings: Settings,
): Promise<readonly DataProblem[]> {
  const delivery = await settings.inbox.delivery(seq);
  const read = delivery === undefined ? undefined : readEnvelopeAgain(delivery.body);
  if (read?.ok !== true) return [];
  const { event, data } = read.envelope;
  const checking = checkData(event, data, settings.schemas);
  const checked = isPromiseLike(checking)
    ? await decidesInTime(checking, event, settings.bodyTimeout)
    : checking;
  return checked.ok ? [] : checked.problems;
}
