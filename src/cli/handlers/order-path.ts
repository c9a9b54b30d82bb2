import type { WebhookEvent } from "../../event/event.ts";
import { memberAt } from "../../event/field-path.ts";

/**
 * The order key at a path in the envelope: a string, number or boolean. An event with any other value at the path has no
 * order.
 */
export function orderByPath(path: string): (event: WebhookEvent) => string | undefined {
  const steps = path.split(".");
  return ({ envelope }) => {
    const found = memberAt(envelope, steps);
    if (!["string", "number", "boolean"].includes(typeof found) || found === "") return undefined;
    return String(found);
  };
}
