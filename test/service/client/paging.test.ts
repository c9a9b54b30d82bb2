import { describe, expect, it } from "vitest";
import { clientOf, errorOf, json, openService, type Scripted, sampleProperty } from "./service.ts";

/** What a service does with the requested page; `undefined` is its first one. */
type Pages = (
  asked: number | undefined,
  size: number,
) => { page: number; from: number; count: number };

interface StrangeService {
  readonly total: number | ((asked: number) => number);
  readonly pages: Pages;
  readonly perPage?: number;
}

/** A service whose paging is strange in one way. It answers 200 requests, and then fails. */
async function openStrange({ total, pages, perPage = 25 }: StrangeService) {
  const service = await openService();
  const answer: Scripted = (response, request) => {
    const asked = request.query.has("page") ? Number(request.query.get("page")) : undefined;
    const size = Number(request.query.get("per_page") ?? perPage);
    const { page, from, count } = pages(asked, size);
    const data = Array.from({ length: count }, (_, index) => sampleProperty(from + index + 1));
    const all = typeof total === "number" ? total : total(page);
    json(200, { data, meta: { total: all, page, per_page: size } })(response, request);
  };
  service.next(...Array.from({ length: 200 }, () => answer));
  return { service, properties: clientOf(service, { retry: { attempts: 1 } }).properties };
}

/** Reads a list to its end; returns the ids, and the error if there was one. */
async function read(items: AsyncIterable<{ property: unknown }>) {
  const ids: string[] = [];
  const reading = (async () => {
    for await (const { property } of items) ids.push((property as { id: string }).id);
  })();
  const failed = await reading.then(
    () => false,
    () => true,
  );
  return { ids, error: failed ? await errorOf(reading) : undefined };
}

const part = (total: number, from: number, size: number) =>
  Math.max(0, Math.min(size, total - from));

describe("a list whose pages are smaller than they claim", () => {
  it("is read to its end if the next page continues where the last one ended", async () => {
    const pages: Pages = (page = 1) => ({
      page,
      from: (page - 1) * 100,
      count: part(250, (page - 1) * 100, 100),
    });
    const { properties } = await openStrange({ total: 250, pages });
    const { ids, error } = await read(properties.items({ perPage: 250 }));
    expect(error).toBeUndefined();
    expect(new Set(ids).size).toBe(250);
  });

  it("ends with an error that says how far it came if the rest cannot be reached", async () => {
    const pages: Pages = (page = 1, size) => ({
      page,
      from: (page - 1) * size,
      count: Math.min(100, part(250, (page - 1) * size, size)),
    });
    const { properties } = await openStrange({ total: 250, pages });
    const { ids, error } = await read(properties.items({ perPage: 250 }));
    expect(ids).toHaveLength(100);
    expect(error).toMatchObject({ code: "service_answer_invalid" });
    expect(error?.message).toContain("expected 250 properties");
    expect(error?.message).toContain("after 100 of 250 properties in 1 page");
  });
});

describe("a list with an empty page", () => {
  const holed: Pages = (page = 1, size) => ({
    page,
    from: (page - 1) * size,
    count: page === 2 ? 0 : part(100, (page - 1) * size, size),
  });

  it("ends with an error that says how far it came, wherever the page is", async () => {
    const { properties } = await openStrange({ total: 100, pages: holed });
    const { ids, error } = await read(properties.items());
    expect(ids).toHaveLength(25);
    expect(error).toMatchObject({ code: "service_answer_invalid", status: 200 });
    expect(error?.message).toContain("empty page 2 after 25 of 100 properties in 1 page");
    const none: Pages = (page = 1) => ({ page, from: 0, count: 0 });
    const empty = await openStrange({ total: 100, pages: none });
    expect((await read(empty.properties.items())).error?.message).toContain("empty page 1:");
    const lastMissing: Pages = (page = 1, size) => ({
      page,
      from: (page - 1) * size,
      count: page === 4 ? 0 : part(100, (page - 1) * size, size),
    });
    const later = await openStrange({ total: 100, pages: lastMissing });
    const rest = await read(later.properties.items({ page: 3 }));
    expect(rest.ids).toHaveLength(25);
    expect(rest.error?.message).toContain("expected 50 properties");
  });

  it("ends without an error if the missing properties were removed meanwhile", async () => {
    const pages: Pages = (page = 1, size) => ({
      page,
      from: (page - 1) * size,
      count: page > 3 ? 0 : size,
    });
    const { properties } = await openStrange({ total: (page) => (page > 3 ? 75 : 76), pages });
    const { ids, error } = await read(properties.items());
    expect(error).toBeUndefined();
    expect(ids).toHaveLength(75);
  });
});

describe("a list that does not end", () => {
  it("ends with an error if the service repeats a page, even if it repeats the page number", async () => {
    const pages: Pages = (page = 1, size) => ({ page, from: 0, count: size });
    const { service, properties } = await openStrange({ total: 1_000_000_000, pages });
    const { ids, error } = await read(properties.items());
    expect(ids).toHaveLength(25);
    expect(service.requests).toHaveLength(2);
    expect(error).toMatchObject({ code: "service_answer_invalid" });
    expect(error?.message).toContain("page 2");
    expect(error?.message).toContain("after 25 of 1000000000 properties in 1 page");
  });

  it("ends with an error if its total grows with each page", async () => {
    const pages: Pages = (page = 1, size) => ({ page, from: (page - 1) * size, count: size });
    const { service, properties } = await openStrange({ total: (page) => page * 25 + 1, pages });
    const { ids, error } = await read(properties.items());
    expect(service.requests.length).toBeLessThan(60);
    expect(ids.length).toBeGreaterThan(1000);
    expect(error?.message).toContain("expected about 26 properties");
  });

  it("says how far it came if the service ignores the page", async () => {
    const service = await openService({
      properties: Array.from({ length: 5 }, (_, index) => sampleProperty(index + 1)),
      pageParameter: "p",
      perPage: 2,
    });
    const { ids, error } = await read(clientOf(service).properties.items());
    expect(ids).toHaveLength(2);
    expect(error?.message).toContain(
      "expected page 2, got page 1 after 2 of 5 properties in 1 page",
    );
  });

  it("may have equal pages if the properties have no ids", async () => {
    const service = await openService();
    const page = (number: number) => ({
      data: [{ rooms: 2 }],
      meta: { total: 3, page: number, per_page: 1 },
    });
    service.next(...[1, 2, 3].map((number) => json(200, page(number))));
    const { ids, error } = await read(clientOf(service).properties.items({ fields: ["rooms"] }));
    expect(error).toBeUndefined();
    expect(ids).toHaveLength(3);
  });
});
