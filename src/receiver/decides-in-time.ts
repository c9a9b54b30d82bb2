import { withTimeout } from "../base/with-timeout.ts";
import type { DataProblem } from "../event/data-problems.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import { checkData, type DataResult, type DataSchemas, schemaFailed } from "../event/schemas.ts";
import type { Inbox } from "../inbox/inbox.ts";

/**
 * The result of the user's schema. A sender, or a place to run, is waiting, so it has at most `ms`
 * to decide, and has failed after that.
 */
export function decidesInTime(
  checking: Promise<DataResult>,
  kind: string,
  ms: number,
): Promise<DataResult> {
  return withTimeout(checking, ms, () =>
    schemaFailed({
      field: "data",
      message: `the schema of ${kind} did not decide within ${ms} ms: make it faster`,
    }),
  );
}

/**
 * Checks an entry's `data` again; empty for an entry that is not an event, or whose delivery was
 * deleted.
 */
export async function recheckEntry(
  seq: number,
  inbox: Pick<Inbox, "delivery">,
  schemas: DataSchemas,
  ms: number,
): Promise<readonly DataProblem[]> {
  const delivery = await inbox.delivery(seq);
  const read = delivery === undefined ? undefined : readEnvelopeAgain(delivery.body);
  if (read?.ok !== true) return [];
  const { event, data } = read.envelope;
  const checked = await decidesInTime(Promise.resolve(checkData(event, data, schemas)), event, ms);
  return checked.ok ? [] : checked.problems;
}
