import * as z from "zod";
import { problemLine, toDataProblems } from "../event/data-problems.ts";
import { type ListedItem, readItem } from "./listed-item.ts";
import { ServiceError } from "./service-error.ts";

/** The list envelope (service description, "List envelope"). Other fields are kept. */
export interface Page<Item> {
  /** The items, each with what contradicts the description, if anything. */
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

const envelopeSchema = z.looseObject({
  data: z.array(z.unknown()),
  meta: z.looseObject({
    total: z.int().nonnegative(),
    page: z.int().nonnegative(),
    per_page: z.int().nonnegative(),
  }),
});

/**
 * Validates a list response. An item that contradicts the description gets its problems beside it.
 *
 * @throws ServiceError `service_answer_invalid`, which names the field but never its value
 */
export function readPage<Item>(
  { status, body }: { status: number; body: unknown },
  schema: z.ZodType<Item>,
  label: string,
): Page<ListedItem<Item>> {
  const parsed = envelopeSchema.safeParse(body);
  if (!parsed.success) {
    const [problem] = toDataProblems(parsed.error.issues, body, "body");
    const why = problem === undefined ? "" : `: ${problemLine(problem)}`;
    throw invalidPage(
      status,
      `${label}: expected the list that the description shows, got another response${why}: check the base URL`,
    );
  }
  return { ...parsed.data, data: parsed.data.data.map((value) => readItem(value, schema)) };
}

/** The error for an invalid response to a list request. */
export function invalidPage(status: number, message: string): ServiceError {
  return new ServiceError({ code: "service_answer_invalid", message, status, mayHaveHappened: false }, 1);
}
