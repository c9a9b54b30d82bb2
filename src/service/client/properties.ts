import * as z from "zod";
import { invalid } from "../../base/options/check-options.ts";
import type { Assumptions } from "./assumptions.ts";
import { call } from "./call.ts";
import type { ClientSettings } from "./client-options.ts";
import { invalidPage, type ListedItem, type Page, readPage } from "./page.ts";
import { paging } from "./paging.ts";

/** Fields to return: names, joined with the assumed separator; or a string, sent unchanged. */
export type FieldSelection = readonly string[] | string | undefined;

/** What to list. */
export interface ListOptions<Fields extends FieldSelection = FieldSelection> {
  /**
   * Fields to return: names, joined with the assumed separator; or a string, sent unchanged.
   * Default: all.
   */
  readonly fields?: Fields | undefined;
  /** Page number. Default: the service's. */
  readonly page?: number | undefined;
  /** Page size. Default: the service's. */
  readonly perPage?: number | undefined;
  /** Aborts requests and the waits between them; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** A property of a list with these fields, and its problems. */
export type ListedProperty<Fields extends FieldSelection> = ListedItem<
  [Fields] extends [undefined] ? Property : SelectedProperty
>;

/** `GET /v1/properties` (service description, "Endpoints"). All throw a `ServiceError`. */
export interface PropertiesApi {
  /** One page. */
  list<Fields extends FieldSelection = undefined>(
    options?: ListOptions<Fields>,
  ): Promise<Page<ListedProperty<Fields>>>;
  /**
   * Iterates over the pages, from `page` or the service's first one. Each page is fetched on
   * demand. Throws `service_answer_invalid` if fewer properties arrive than `meta.total` says, or
   * pages are repeated or have no end.
   */
  pages<Fields extends FieldSelection = undefined>(
    options?: ListOptions<Fields>,
  ): AsyncGenerator<Page<ListedProperty<Fields>>, void, undefined>;
  /** The same, over the properties. */
  items<Fields extends FieldSelection = undefined>(
    options?: ListOptions<Fields>,
  ): AsyncGenerator<ListedProperty<Fields>, void, undefined>;
}

const PATH = "/v1/properties";
const LABEL = `GET ${PATH}`;

type AnyPage = Page<ListedItem<SelectedProperty>>;

export function propertiesApi(settings: ClientSettings): PropertiesApi {
  const list = (options: ListOptions = {}) => listPage(settings, options);
  async function* pages(options: ListOptions = {}) {
    const position = paging(LABEL, options.page);
    for (let asked = options.page; ; ) {
      const page = await listPage(settings, { ...options, page: asked }, position.after());
      asked = position.take(page);
      yield page;
      if (asked === undefined) return;
    }
  }
  async function* items(options: ListOptions = {}) {
    for await (const page of pages(options)) yield* page.data;
  }
  return Object.freeze({ list, pages, items }) as PropertiesApi;
}

async function listPage(
  settings: ClientSettings,
  options: ListOptions,
  after = "",
): Promise<AnyPage> {
  const query = queryOf(options, settings.assumptions);
  const answer = await call(settings, { method: "GET", path: PATH, query, signal: options.signal });
  // With `fields` the service decides which fields it returns, so none is required.
  const item = options.fields === undefined ? propertySchema : selectedPropertySchema;
  const page = readPage<SelectedProperty>(answer, item, LABEL);
  const { page: got } = page.meta;
  if (options.page === undefined || options.page === got) return page;
  throw invalidPage(
    answer.status,
    `${LABEL}: expected page ${options.page}, got page ${got}${after}: the parameter's name, ` +
      `"${settings.assumptions.pageParameter}", is assumed; set assumptions.pageParameter (pageParameter for the commands)`,
  );
}

function queryOf(
  { fields, page, perPage }: ListOptions,
  assumptions: Assumptions,
): [string, string][] {
  const { pageParameter, perPageParameter, fieldsSeparator } = assumptions;
  const query: [string, string][] = [];
  if (fields !== undefined) {
    const names = typeof fields === "string" ? [fields] : fields;
    if (names.length === 0 || names.some((name) => name.trim() === ""))
      throw invalid(
        "fields to contain only names",
        fields,
        "pass at least one, or leave it out for all fields",
      );
    query.push(["fields", names.join(fieldsSeparator)]);
  }
  if (page !== undefined) query.push([pageParameter, wholeNumber("page", page, 0)]);
  if (perPage !== undefined) query.push([perPageParameter, wholeNumber("perPage", perPage, 1)]);
  return query;
}

function wholeNumber(name: string, value: number, least: number): string {
  if (Number.isSafeInteger(value) && value >= least) return String(value);
  throw invalid(`${name} to be a whole number from ${least}`, value, "pass one, or leave it out");
}

const tenantSchema = z.looseObject({
  name: z.string().nullish(),
  /** `YYYY-MM-DD`. */
  lease_start: z.iso.date().nullish(),
});

/**
 * A property as the list returns it (service description, "Property (as returned by the property
 * list)"). The values of `type` and the units of `surface`, `rent` and `yield` are not shown there.
 *
 * The description has types, but does not say which fields are required, or never `null`. Only `id`
 * must be there, since it identifies the property; every other field may be absent or `null`.
 */
export const propertySchema = z.looseObject({
  id: z.string().startsWith("prop_"),
  type: z.string().nullish(),
  address: z.string().nullish(),
  surface: z.number().nullish(),
  rooms: z.int().nullish(),
  rent: z.number().nullish(),
  yield: z.number().nullish(),
  tenant: tenantSchema.nullish(),
});

/** A property with selected `fields`: `id` may be missing too. */
export const selectedPropertySchema = propertySchema.partial();

/** A property of the list. Only `id` is always there; the other fields may be absent or `null`. */
export type Property = z.infer<typeof propertySchema>;

/** A property of a list requested with `fields`. */
export type SelectedProperty = z.infer<typeof selectedPropertySchema>;
