import { ConfigurationError } from "../errors.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Envelope } from "../event/envelope.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import type { Settings } from "./options/options.ts";

/**
 * Checks `data` against its kind's schema, while the sender is waiting: a user's schema has at most `bodyTimeout` to decide.
 *
 * @throws ConfigurationError `option_invalid` if it takes longer; and any error that the schema throws
 */
export function checkInTime(
  { event, data }: Envelope,
  { schemas, bodyTimeout }: Pick<Settings, "schemas" | "bodyTimeout">,
): DataResult | Promise<DataResult> {
  const checking = checkData(event, data, schemas);
  return checking instanceof Promise ? decidesWithin(bodyTimeout, event, checking) : checking;
}

async function decidesWithin(ms: number, event: string, checking: Promise<DataResult>): Promise<DataResult> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const told = `expected the schema of ${event} to decide within ${ms} ms, got no result: make it faster`;
      reject(new ConfigurationError("option_invalid", told));
    }, ms);
  });
  try {
    return await Promise.race([checking, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks an entry's `data` again; empty for an entry that is not an event, or whose delivery was deleted. */
export async function recheckEntry(seq: number, settings: Settings): Promise<readonly DataProblem[]> {
  const delivery = await settings.inbox.delivery(seq);
  const read = delivery === undefined ? undefined : readEnvelopeAgain(delivery.body);
  const checked = read?.ok === true ? await checkInTime(read.envelope, settings) : undefined;
  return checked?.ok === false ? checked.problems : [];
}
