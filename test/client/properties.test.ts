import { describe, expect, expectTypeOf, it } from "vitest";
import type { Page, Property, SelectedProperty } from "../../src/client.ts";
import { clientOf, json, openService, sampleProperty } from "./service.ts";

const many = (count: number) => Array.from({ length: count }, (_, index) => sampleProperty(index + 1));
const meta = (total: number, page = 1, per_page = 20) => ({ total, page, per_page });
const idsOf = (properties: readonly { id?: string | undefined }[]) => properties.map(({ id }) => id);

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
    expectTypeOf(page).toEqualTypeOf<Page<Property>>();
    expect(page).toEqual({ data: many(3), meta: meta(3) });
    expect(page.data[0]?.tenant?.lease_start).toBe("2025-03-01");
    expect([...(service.requests[0]?.query ?? [])]).toEqual([]);
  });

  it("keeps undocumented fields, at any depth", async () => {
    const service = await openService();
    const property = {
      ...sampleProperty(1),
      energy: { class: "B" },
      tenant: { name: "A", lease_start: "2025-03-01", phone: "1" },
    };
    const answer = { data: [property], meta: { ...meta(1), next: "/x" }, links: { self: "/y" } };
    service.next(json(200, answer));
    expect(await clientOf(service).properties.list()).toEqual(answer);
  });

  it.each([null, undefined])("accepts a property whose tenant is %j", async (tenant) => {
    const service = await openService({ properties: [{ ...sampleProperty(1), tenant }] });
    expect((await clientOf(service).properties.list()).data).toHaveLength(1);
  });

  it.each([
    ["no body", undefined],
    ["a bare list", []],
    ["no data", { meta: meta(0) }],
    ["no meta", { data: [] }],
    ["a total that is a text", { data: [], meta: { ...meta(0), total: "0" } }],
    ["a property without an id", { data: [{ ...sampleProperty(1), id: undefined }], meta: meta(1) }],
    ["an id of another form", { data: [{ ...sampleProperty(1), id: "p1" }], meta: meta(1) }],
    ["rooms that are no whole number", { data: [{ ...sampleProperty(1), rooms: 2.5 }], meta: meta(1) }],
    ["a rent that is a text", { data: [{ ...sampleProperty(1), rent: "950" }], meta: meta(1) }],
    [
      "a lease that starts on no date",
      { data: [{ ...sampleProperty(1), tenant: { name: "A", lease_start: "1/3/25" } }], meta: meta(1) },
    ],
  ])("is refused with %s", async (_, body) => {
    const service = await openService();
    service.next(json(200, body));
    await expect(clientOf(service).properties.list()).rejects.toMatchObject({
      ...{ code: "service_answer_invalid", status: 200, mayHaveHappened: false },
    });
  });

  it("names the invalid field, but never its value", async () => {
    const service = await openService();
    service.next(
      json(200, { data: [sampleProperty(1), { ...sampleProperty(2), rent: "confidential" }], meta: meta(2) }),
    );
    const error = await clientOf(service)
      .properties.list()
      .catch((thrown: Error) => thrown);
    expect(String(error)).toContain("data.1.rent");
    expect(String(error)).not.toContain("confidential");
  });
});

describe("a selection of fields", () => {
  it("is sent as comma-separated fields, and then any field may be missing", async () => {
    const service = await openService({ properties: many(1) });
    const page = await clientOf(service).properties.list({ fields: ["id", "rent"] });
    expectTypeOf(page).toEqualTypeOf<Page<SelectedProperty>>();
    expect(page.data).toEqual([{ id: "prop_1", rent: 950 }]);
    expect(service.requests[0]?.query.get("fields")).toBe("id,rent");
  });

  it("uses another separator, or a string unchanged", async () => {
    const service = await openService();
    const client = clientOf(service, { assumptions: { fieldsSeparator: " " } });
    await client.properties.list({ fields: ["id", "rent"] });
    await client.properties.list({ fields: "id,tenant(name)&" });
    expect(service.requests.map(({ query }) => query.get("fields"))).toEqual(["id rent", "id,tenant(name)&"]);
  });

  it("still validates the returned fields", async () => {
    const service = await openService();
    service.next(json(200, { data: [{ rent: "950" }], meta: meta(1) }));
    await expect(clientOf(service).properties.list({ fields: ["rent"] })).rejects.toMatchObject({
      code: "service_answer_invalid",
    });
  });

  it.each([[[]], [""], [["id", " "]]])("is refused if it is %j, before anything is sent", async (fields) => {
    const service = await openService();
    await expect(clientOf(service).properties.list({ fields })).rejects.toMatchObject({
      code: "option_invalid",
    });
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

  it("reports that the service ignored the parameter, if it returns another page", async () => {
    const service = await openService({ properties: many(5), pageParameter: "p" });
    const error = await clientOf(service)
      .properties.list({ page: 2, perPage: 2 })
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "service_answer_invalid" });
    expect(String(error)).toContain("assumptions.pageParameter");
  });

  it.each([{ page: -1 }, { page: 1.5 }, { page: Number.NaN }, { perPage: 0 }])(
    "refuses %j before anything is sent",
    async (options) => {
      const service = await openService();
      await expect(clientOf(service).properties.list(options)).rejects.toMatchObject({
        code: "option_invalid",
      });
      expect(service.requests).toEqual([]);
    },
  );
});

describe("iterating", () => {
  it.each([
    ["from 1", 1],
    ["from 0", 0],
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
    for await (const property of properties.items({ fields: ["id"] })) {
      found.push(property.id);
      if (found.length === 3) break;
    }
    expect(found).toEqual(["prop_1", "prop_2", "prop_3"]);
    expect(service.requests).toHaveLength(2);
    expect(service.requests.map(({ query }) => query.get("fields"))).toEqual(["id", "id"]);
  });

  it("starts at the given page", async () => {
    const service = await openService({ properties: many(5) });
    const found = await all(clientOf(service).properties.items({ page: 2, perPage: 2 }));
    expect(idsOf(found)).toEqual(["prop_3", "prop_4", "prop_5"]);
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
    const service = await openService({ properties: many(5), pageParameter: "p", perPage: 2 });
    await expect(all(clientOf(service).properties.items())).rejects.toMatchObject({
      code: "service_answer_invalid",
    });
    expect(service.requests).toHaveLength(2);
  });

  it("ends if the total is larger than the number of properties", async () => {
    const service = await openService();
    const page = (number: number, data: object[]) => json(200, { data, meta: meta(99, number, 1) });
    service.next(page(1, [sampleProperty(1)]), page(2, []), page(3, []));
    expect(await all(clientOf(service).properties.items())).toHaveLength(1);
    expect(service.requests).toHaveLength(2);
  });

  it("continues after a page that failed first", async () => {
    const service = await openService({ properties: many(3), perPage: 2 });
    const { properties } = clientOf(service);
    const pages = properties.pages();
    await pages.next();
    service.next(json(429, {}));
    expect((await pages.next()).value?.data).toHaveLength(1);
  });
});
