import type { z } from "zod";
import { invalid } from "../options/check-options.ts";
import type { Assumptions } from "./assumptions.ts";
import { call } from "./call.ts";
import type { ClientSettings } from "./options.ts";
import { invalidPage, type Page, readPage } from "./page.ts";
import { type Property, propertySchema, type SelectedProperty, selectedPropertySchema } from "./property.ts";

/** What to list. */
export interface ListOptions {
  /** Fields to return: names, joined with the assumed separator; or a string, sent unchanged. Default: all. */
  readonly fields?: readonly string[] | string | undefined;
  /** Page number. Default: the service's. */
  readonly page?: number | undefined;
  /** Page size. Default: the service's. */
  readonly perPage?: number | undefined;
  /** Aborts requests and the waits between them; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** The same without `fields`: returns complete properties. */
export interface WholeListOptions extends ListOptions {
  readonly fields?: undefined;
}

/** `GET /v1/properties` (service description, "Endpoints"). All throw a `ServiceError`. */
export interface PropertiesApi {
  /** One page. */
  list(options?: WholeListOptions): Promise<Page<Property>>;
  list(options: ListOptions): Promise<Page<SelectedProperty>>;
  /** Iterates over the pages, from `page` or the service's first one. Each page is fetched on demand. */
  pages(options?: WholeListOptions): AsyncGenerator<Page<Property>, void, undefined>;
  pages(options: ListOptions): AsyncGenerator<Page<SelectedProperty>, void, undefined>;
  /** The same, over the properties. */
  items(options?: WholeListOptions): AsyncGenerator<Property, void, undefined>;
  items(options: ListOptions): AsyncGenerator<SelectedProperty, void, undefined>;
}

const PATH = "/v1/properties";
const LABEL = `GET ${PATH}`;

type AnyPage = Page<Property>;

/** Creates the property API for a client's settings. */
export function propertiesApi(settings: ClientSettings): PropertiesApi {
  const list = (options: ListOptions = {}) => listPage(settings, options);
  async function* pages(options: ListOptions = {}) {
    let seen = 0;
    for (let asked = options.page; ; ) {
      const page = await list({ ...options, page: asked });
      yield page;
      const { meta, data } = page;
      seen += data.length;
      // Whether pages count from 0 or 1 is not shown; both conditions hold for either.
      if (data.length === 0 || seen >= meta.total || meta.page * meta.per_page >= meta.total) return;
      asked = meta.page + 1;
    }
  }
  async function* items(options: ListOptions = {}) {
    for await (const page of pages(options)) yield* page.data;
  }
  return Object.freeze({ list, pages, items }) as PropertiesApi;
}

async function listPage(settings: ClientSettings, options: ListOptions): Promise<AnyPage> {
  const query = queryOf(options, settings.assumptions);
  const answer = await call(settings, { method: "GET", path: PATH, query, signal: options.signal });
  // With `fields` the service decides which fields it returns, so none is required.
  const schema = options.fields === undefined ? propertySchema : selectedPropertySchema;
  const page = readPage(answer, schema as z.ZodType<Property>, LABEL);
  const { page: got } = page.meta;
  if (options.page === undefined || options.page === got) return page;
  throw invalidPage(
    answer.status,
    `${LABEL}: expected page ${options.page}, got page ${got}: the parameter's name ` +
      `"${settings.assumptions.pageParameter}", is assumed; set assumptions.pageParameter`,
  );
}

function queryOf({ fields, page, perPage }: ListOptions, assumptions: Assumptions): [string, string][] {
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
