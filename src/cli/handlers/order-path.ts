import type { WebhookEvent } from "../../event/event.ts";

/**
 * The order key at a path in the envelope: a string, number or boolean. An event with any other value at the path has no
 * order.
 */
export function orderByPath(path: string): (event: WebhookEvent) => string | undefined {
  const steps = path.split(".");
  return ({ envelope }) => {
    let found: unknown = envelope;
    for (const step of steps) {
      if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
      found = (found as Record<string, unknown>)[step];
    }
    if (!["string", "number", "boolean"].includes(typeof found) || found === "") return undefined;
    return String(found);
  };
}
