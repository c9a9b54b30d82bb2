import type { Delivery } from "../event/delivery.ts";

/**
 * The query of a delivery as it is sent on, with its `?`; empty if it has none. One that no request
 * can carry is left out: above all that of a saved delivery, whose values are hidden by `…`.
 */
export function queryOf({ target }: Pick<Delivery, "target">): string {
  return /^[^?]*(\?[\u0021-\u00ff]*)$/.exec(target)?.[1] ?? "";
}

/** Whether the values of a delivery's query are hidden, so that it cannot be sent on. */
export function hasHiddenQuery({ target }: Pick<Delivery, "target">): boolean {
  const query = target.indexOf("?");
  return query !== -1 && target.includes("…", query);
}
