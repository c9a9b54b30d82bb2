import { ConfigurationError } from "../errors.ts";
import type { Envelope } from "../event/envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import type { Settings } from "./options.ts";

/**
 * Whether `data` fits its kind's schema. A sender waits for it, so a user's schema that takes longer than a body may
 * take is given up.
 *
 * @throws ConfigurationError `option_invalid`; and whatever the schema throws
 */
export function fitsInTime(
  { event, data }: Envelope,
  { schemas, bodyTimeout }: Pick<Settings, "schemas" | "bodyTimeout">,
): boolean | Promise<boolean> {
  const checking = checkData(event, data, schemas);
  return checking instanceof Promise ? decidesWithin(bodyTimeout, event, checking) : checking.ok;
}

async function decidesWithin(ms: number, event: string, checking: Promise<DataResult>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const told = `expected the schema of ${event} to decide within ${ms} ms, got no result: make it faster`;
      reject(new ConfigurationError("option_invalid", told));
    }, ms);
  });
  try {
    return (await Promise.race([checking, over])).ok;
  } finally {
    clearTimeout(timer);
  }
}
