import { ConfigurationError } from "../errors.ts";
import type { Envelope } from "../event/envelope.ts";
import { checkData } from "../event/schemas.ts";
import type { Settings } from "./options.ts";

/**
 * Whether `data` fits its kind's schema. A sender waits for it, so a user's schema that takes longer than a body may
 * take is given up.
 *
 * @throws ConfigurationError `option_invalid`; and whatever the schema throws
 */
export async function fitsInTime(
  { event, data }: Envelope,
  { schemas, bodyTimeout }: Pick<Settings, "schemas" | "bodyTimeout">,
): Promise<boolean> {
  const checking = checkData(event, data, schemas);
  if (!Object.hasOwn(schemas, event)) return (await checking).ok;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const told = `expected the schema of ${event} to decide within ${bodyTimeout} ms, it is still at work`;
      reject(new ConfigurationError("option_invalid", told));
    }, bodyTimeout);
  });
  try {
    return (await Promise.race([checking, over])).ok;
  } finally {
    clearTimeout(timer);
  }
}
