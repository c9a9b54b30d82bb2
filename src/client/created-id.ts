import * as z from "zod";

const withId = z.looseObject({ id: z.string().regex(/^wh_[^\s,]{1,200}$/) });

/**
 * The id of a subscription that was created. The description shows its form (`wh_<id>`), but not what a creation answers:
 * it is looked for at the top of the body and one level below, and is `undefined` where it is not.
 */
export function readCreatedId(body: unknown): string | undefined {
  const below = typeof body === "object" && body !== null ? Object.values(body) : [];
  for (const place of [body, ...below]) {
    const parsed = withId.safeParse(place);
    if (parsed.success) return parsed.data.id;
  }
  return undefined;
}
