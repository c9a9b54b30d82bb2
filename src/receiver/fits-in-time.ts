import { ConfigurationError } from "../errors.ts";
import type { Envelope } from "../event/envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import type { Settings } from "./options.ts";

/**
 * Whether `data` fits its kind's schema. The sender is waiting, so a user's schema has at most `bodyTimeout` to decide.
 *
 * @throws ConfigurationError `option_invalid` if it takes longer; and any error that the schema throws
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
      const message = `expected the schema of ${event} to validate within ${ms} ms, but it has not finished`;
      reject(new ConfigurationError("option_invalid", message));
    }, ms);
  });
  try {
    return (await Promise.race([checking, over])).ok;
  } finally {
    clearTimeout(timer);
  }
}
