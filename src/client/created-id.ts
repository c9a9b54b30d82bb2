import * as z from "zod";

const withId = z.looseObject({ id: z.string().regex(/^wh_[^\s,]{1,200}$/) });

/**
 * The id of a created subscription. The description shows its format (`wh_<id>`), but not the response to a creation: the id
 * is searched at the top of the body and one level below, and is `undefined` if not found.
 */
export function readCreatedId(body: unknown): string | undefined {
  const below = typeof body === "object" && body !== null ? Object.values(body) : [];
  for (const place of [body, ...below]) {
    const parsed = withId.safeParse(place);
    if (parsed.success) return parsed.data.id;
  }
  return undefined;
}
