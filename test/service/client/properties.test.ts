import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  Client,
  DataProblem,
  ListedItem,
  Page,
  Property,
  SelectedProperty,
} from "../../../src/entries/client.ts";
import { clientOf, json, openClient, openService, sampleProperty } from "./service.ts";

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => sampleProperty(index + 1));
const meta = (total: number, page = 1, per_page = 20) => ({ total, page, per_page });
/** Items without problems. */
const fitting = (properties: readonly object[]) =>
  properties.map((property) => ({ property, problems: undefined }));
const idsOf = (items: readonly { property: unknown }[]) =>
  items.map(({ property }) => (property as { id?: unknown }).id);

/** All values of an iterator. */
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("the list of properties", () => {
  it("is returned in its envelope, typed", async () => {
    const service = await openService({ properties: many(3) });
    const page = await clientOf(service).properties.list();
    expectTypeOf(page).toEqualTypeOf<Page<ListedItem<Property>>>();
    expect(page).toEqual({ data: fitting(many(3)), meta: meta(3) });
    const [first] = page.data;
    if (first?.problems !== undefined) throw new Error("expected no problems");
    expect(first?.property.tenant?.lease_start).toBe("2025-03-01");
    expect([...(service.requests[0]?.query ?? [])]).toEqual([]);
  });

  it("keeps undocumented fields, at any depth", async () => {
    const tenant = { name: "A", lease_start: "2025-03-01", phone: "1" };
    const property = { ...sampleProperty(1), energy: { class: "B" }, tenant };
    const answer = { data: [property], meta: { ...meta(1), next: "/x" }, links: { self: "/y" } };
    const { client } = await openClient([json(200, answer)]);
    expect(await client.properties.list()).toEqual({ ...answer, data: fitting([property]) });
  });

  it.each([
    "type",
    "address",
    "surface",
    "rooms",
    "rent",
    "yield",
    "tenant",
    "tenant.name",
    "tenant.lease_start",
  ])("returns a property whose %s is null or absent without problems", async (path) => {
    const [field = "", inner] = path.split(".");
    const change = (value: null | undefined) => ({
      ...sampleProperty(1),
      [field]:
        inner === undefined ? value : { name: "A", lease_start: "2025-03-01", [inner]: value },
    });
    const properties = [change(null), change(undefined)];
    const { client } = await openClient([], {}, { properties });
    expect((await client.properties.list()).data).toEqual(fitting(properties));
  });

  it("types every field but id as optional and nullable, once there are no problems", () => {
    type Result = Awaited<ReturnType<typeof listed>>;
    const listed = async (items: readonly ListedItem<Property>[]) => {
      for (const { property, problems } of items) {
        if (problems !== undefined) expectTypeOf(problems).toEqualTypeOf<readonly DataProblem[]>();
        else return [property.id, property.rent, property.tenant?.lease_start] as const;
      }
      return undefined;
    };
    type Nullable<Value> = Value | null | undefined;
    expectTypeOf<Result>().toEqualTypeOf<
      readonly [string, Nullable<number>, Nullable<string>] | undefined
    >();
  });

  it.each([
    ["no body", undefined],
    ["a bare list", []],
    ["no data", { meta: meta(0) }],
    ["no meta", { data: [] }],
    ["data that is null", { data: null, meta: meta(0) }],
    ["a total that is a text", { data: [], meta: { ...meta(0), total: "0" } }],
  ])("is refused with %s", async (_, body) => {
    const { client } = await openClient([json(200, body)]);
    await expect(client.properties.list()).rejects.toMatchObject({
      code: "service_answer_invalid",
      status: 200,
      mayHaveHappened: false,
    });
  });

  const contradictions: [string, string, unknown][] = [
    ["has no id", "property.id", { ...sampleProperty(2), id: undefined }],
    ["has an id that is null", "property.id", { ...sampleProperty(2), id: null }],
    ["has an id of another form", "property.id", { ...sampleProperty(2), id: "p1" }],
    ["has rooms that are no whole number", "property.rooms", { ...sampleProperty(2), rooms: 2.5 }],
    ["has a rent that is a text", "property.rent", { ...sampleProperty(2), rent: "confidential" }],
    [
      "has a lease that starts on no date",
      "property.tenant.lease_start",
      { ...sampleProperty(2), tenant: { name: "A", lease_start: "1/3/25" } },
    ],
    ["is null", "property", null],
    ["is a list", "property", [1]],
  ];

  it.each(contradictions)(
    "has the problems beside a property that %s",
    async (_, field, property) => {
      const sent = [sampleProperty(1), property, sampleProperty(3)].map(
        (one) => JSON.parse(JSON.stringify(one)) as object,
      );
      const { client } = await openClient([json(200, { data: sent, meta: meta(3) })]);
      const items = await all(client.properties.items());
      expect(items.map((item) => item.property)).toEqual(sent);
      const [first, second, third] = items.map(({ problems }) => problems);
      expect([first, third]).toEqual([undefined, undefined]);
      expect(second).toEqual([{ field, message: expect.not.stringContaining("confidential") }]);
    },
  );
});

describe("a selection of fields", () => {
  it("is sent as comma-separated fields, and then any field may be missing", async () => {
    const service = await openService({ properties: many(1) });
    const page = await clientOf(service).properties.list({ fields: ["id", "rent"] });
    expectTypeOf(page).toEqualTypeOf<Page<ListedItem<SelectedProperty>>>();
    expect(page.data).toEqual(fitting([{ id: "prop_1", rent: 950 }]));
    expect(service.requests[0]?.query.get("fields")).toBe("id,rent");
  });

  it("uses another separator, or a string unchanged", async () => {
    const { service, client } = await openClient([], { assumptions: { fieldsSeparator: " " } });
    for (const fields of [["id", "rent"], "id,tenant(name)&"])
      await client.properties.list({ fields });
    const asked = service.requests.map(({ query }) => query.get("fields"));
    expect(asked).toEqual(["id rent", "id,tenant(name)&"]);
  });

  it("still has the problems of the returned fields", async () => {
    const { client } = await openClient([json(200, { data: [{ rent: "950" }], meta: meta(1) })]);
    const { data } = await client.properties.list({ fields: ["rent"] });
    const problems = [{ field: "property.rent", message: "expected number, got string" }];
    expect(data).toEqual([{ property: { rent: "950" }, problems }]);
  });

  it.each<[string, Parameters<Client["properties"]["list"]>[0]]>([
    ["no field", { fields: [] }],
    ["an empty text", { fields: "" }],
    ["a blank field", { fields: ["id", " "] }],
    ["a page before the first", { page: -1 }],
    ["half a page", { page: 1.5 }],
    ["no page number", { page: Number.NaN }],
    ["pages of nothing", { perPage: 0 }],
  ])("or a page is refused before anything is sent: %s", async (_, options) => {
    const { service, client } = await openClient();
    await expect(client.properties.list(options)).rejects.toMatchObject({ code: "option_invalid" });
    expect(service.requests).toEqual([]);
  });
});

describe("paging", () => {
  it("uses the parameter names of meta", async () => {
    const service = await openService({ properties: many(5) });
    const page = await clientOf(service).properties.list({ page: 2, perPage: 2 });
    expect(idsOf(page.data)).toEqual(["prop_3", "prop_4"]);
    expect([...(service.requests[0]?.query ?? [])]).toEqual([
      ["page", "2"],
      ["per_page", "2"],
    ]);
  });

  it("uses other parameter names if they are set", async () => {
    const service = await openService({
      properties: many(5),
      pageParameter: "page[number]",
      perPageParameter: "limit",
    });
    const assumptions = { pageParameter: "page[number]", perPageParameter: "limit" };
    const page = await clientOf(service, { assumptions }).properties.list({ page: 3, perPage: 2 });
    expect(idsOf(page.data)).toEqual(["prop_5"]);
  });
});

describe("iterating", () => {
  it.each([
    ["from 1", 1],
    ["from 0", 0],
    ["from 10", 10],
  ])("fetches each page once if pages count %s, and stops after the last", async (_, firstPage) => {
    const service = await openService({ properties: many(5), firstPage, perPage: 2 });
    const pages = await all(clientOf(service).properties.pages());
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 1]);
    expect(service.requests).toHaveLength(3);
  });

  it("iterates over properties, and fetches a page only on demand", async () => {
    const service = await openService({ properties: many(5), perPage: 2 });
    const { properties } = clientOf(service);
    const found: (string | undefined)[] = [];
    for await (const { property } of properties.items({ fields: ["id"] })) {
      found.push((property as SelectedProperty).id);
      if (found.length === 3) break;
    }
    expect(found).toEqual(["prop_1", "prop_2", "prop_3"]);
    expect(service.requests).toHaveLength(2);
    expect(service.requests.map(({ query }) => query.get("fields"))).toEqual(["id", "id"]);
  });

  it("starts at the given page, and continues after a page that failed first", async () => {
    const { service, client } = await openClient([], {}, { properties: many(5) });
    const found = await all(client.properties.items({ page: 2, perPage: 2 }));
    expect(idsOf(found)).toEqual(["prop_3", "prop_4", "prop_5"]);
    const pages = client.properties.pages({ perPage: 3 });
    await pages.next();
    service.next(json(429, {}));
    expect((await pages.next()).value?.data).toHaveLength(2);
  });

  it.each([
    ["nothing at all", 0, 1],
    ["a last page that is full", 4, 2],
  ])("stops after %s", async (_, count, requests) => {
    const service = await openService({ properties: many(count), perPage: 2 });
    expect(await all(clientOf(service).properties.items())).toHaveLength(count);
    expect(service.requests).toHaveLength(requests);
  });

  it("ends with an error, not without end, if the service ignores the page", async () => {
    const ignoring = { properties: many(5), pageParameter: "p", perPage: 2 };
    const { service, client } = await openClient([], {}, ignoring);
    const failed = { code: "service_answer_invalid" };
    await expect(all(client.properties.items())).rejects.toMatchObject(failed);
    expect(service.requests).toHaveLength(2);
    const one = client.properties.list({ page: 2, perPage: 2 });
    await expect(one).rejects.toMatchObject({
      ...failed,
      message: expect.stringContaining("assumptions.pageParameter"),
    });
  });
});
