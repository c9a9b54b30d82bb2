import * as z from "zod";
import { ServiceError } from "./service-error.ts";

/** The list envelope (service description, "List envelope"). Other fields are kept. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: PageMeta;
  readonly [field: string]: unknown;
}

/** The position of a page in the list. */
export interface PageMeta {
  /** Total number of items. */
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
 * Validates a list response.
 *
 * @throws ServiceError `service_answer_invalid`, which names the field but never its value
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
  const why = `${place}: ${issue?.message ?? "does not match the description"}`;
  throw invalidPage(
    status,
    `${label}: expected the list that the description shows, got another response: ${why}`,
  );
}

/** The error for an invalid response to a list request. */
export function invalidPage(status: number, message: string): ServiceError {
  return new ServiceError({ code: "service_answer_invalid", message, status, mayHaveHappened: false }, 1);
}
