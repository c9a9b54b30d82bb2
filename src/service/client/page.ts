import * as z from "zod";
import { type DataProblem, problemLine, toDataProblems } from "../../event/data-problems.ts";
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
 * Throws ServiceError `service_answer_invalid`, which names the field but never its value.
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
  const items = parsed.data.data.map((value): ListedItem<Item> => {
    const item = schema.safeParse(value);
    if (item.success) return { property: item.data, problems: undefined };
    return { property: value, problems: toDataProblems(item.error.issues, value, "property") };
  });
  return { ...parsed.data, data: items };
}

/** The error for an invalid response to a list request. */
export function invalidPage(status: number, message: string): ServiceError {
  return new ServiceError(
    { code: "service_answer_invalid", message, status, mayHaveHappened: false },
    1,
  );
}

/** An item of a list whose fields have the described types. */
export interface FittingItem<Item> {
  /** The property; fields that the description does not show are kept. */
  readonly property: Item;
  readonly problems: undefined;
}

/** An item of a list that contradicts the description. */
export interface MisfitItem {
  /** What the service sent, unchanged. */
  readonly property: unknown;
  /**
   * How it contradicts the description, such as `property.rent: expected number, got string`; never
   * values.
   */
  readonly problems: readonly DataProblem[];
}

/** An item of a list: if `problems` is `undefined`, the property has the described types. */
export type ListedItem<Item> = FittingItem<Item> | MisfitItem;
