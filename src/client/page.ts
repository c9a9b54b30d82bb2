import * as z from "zod";
import { ServiceError } from "./service-error.ts";

/** The list envelope (service description, "List envelope"). Fields that are not shown there are kept. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: PageMeta;
  readonly [field: string]: unknown;
}

/** Where a page stands among the others. */
export interface PageMeta {
  /** Items in all. */
  readonly total: number;
  /** Number of this page. */
  readonly page: number;
  /** Page size. */
  readonly per_page: number;
  readonly [field: string]: unknown;
}

const metaSchema = z.looseObject({
  total: z.int().nonnegative(),
  page: z.int().nonnegative(),
  per_page: z.int().nonnegative(),
});

/**
 * Checks a list answer.
 *
 * @throws ServiceError `service_answer_invalid`, naming the place in the answer, never what stands there
 */
export function readPage<Item>(
  { status, body }: { status: number; body: unknown },
  item: z.ZodType<Item>,
  label: string,
): Page<Item> {
  const parsed = z.looseObject({ data: z.array(item), meta: metaSchema }).safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "the body" : issue.path.join(".");
  const why = `${place}: ${issue?.message ?? "not as described"}`;
  throw invalidPage(status, `${label}: the answer is not the list that the description shows: ${why}`);
}

/** An answer to a list request that is not what was asked for. */
export function invalidPage(status: number, message: string): ServiceError {
  return new ServiceError({ code: "service_answer_invalid", message, status, mayHaveHappened: false }, 1);
}
