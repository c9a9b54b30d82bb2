import { within } from "../base/within.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Envelope } from "../event/envelope.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import { invalidOption } from "../options/check-options.ts";
import type { Settings } from "./options/options.ts";

type Terms = Pick<Settings, "schemas" | "bodyTimeout">;

/** Checks `data`. The sender is waiting, so a schema that decides later has `bodyTimeout` for it; else `option_invalid`. */
export function checkInTime({ event, data }: Envelope, { schemas, bodyTimeout }: Terms) {
  const checking = checkData(event, data, schemas);
  return checking instanceof Promise ? decidesInTime(checking, event, bodyTimeout) : checking;
}

async function decidesInTime(checking: Promise<DataResult>, kind: string, ms: number): Promise<DataResult> {
  const decided = await within(checking, ms, () => undefined);
  if (decided !== undefined) return decided;
  throw invalidOption(
    `expected the schema of ${kind} to decide within ${ms} ms, got no result: make it faster`,
  );
}

/** Checks an entry's `data` again; empty for an entry that is not an event, or whose delivery was deleted. */
export async function recheckEntry(seq: number, settings: Settings): Promise<readonly DataProblem[]> {
  const delivery = await settings.inbox.delivery(seq);
  const read = delivery === undefined ? undefined : readEnvelopeAgain(delivery.body);
  if (read?.ok !== true) return [];
  const checked = await checkInTime(read.envelope, settings);
  return checked.ok ? [] : checked.problems;
}
