import type { Delivery } from "./delivery.ts";
import { exactText, parseExact } from "./exact-json.ts";
import { memberAt, stepsOf } from "./field-path.ts";
import { decodeUtf8 } from "./utf8.ts";

/**
 * A number of a delivery's body exactly as it was sent, as text: `JSON.parse` reads numbers as
 * doubles, which changes 9007199254740993 to …992, and 1e400 to `Infinity`. Pass it to a decimal
 * library, to `BigInt` or to a database. It reads the whole body.
 *
 * @param delivery - such as `context.delivery`
 * @param path - where the number is, as problems name it: `data.rent`, `data.rooms[2].area`,
 * `data["a key"]`
 * @returns `undefined` if there is no number at this path
 * @throws TypeError for a text that is no path
 *
 * @example
 * ```ts
 * import { createReceiver, exactNumber } from "hookporter";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * receiver.on("payment.received", (_event, { delivery }) => {
 *   const amount = exactNumber(delivery, "data.amount"); // "1250.10"
 * });
 * ```
 */
export function exactNumber(delivery: Pick<Delivery, "body">, path: string): string | undefined {
  const steps = stepsOf(path);
  if (steps === undefined) {
    throw new TypeError(`expected a path such as data.rooms[2].area, got ${JSON.stringify(path)}`);
  }
  return exactText(memberAt(parseExact(decodeUtf8(delivery.body)), steps));
}
