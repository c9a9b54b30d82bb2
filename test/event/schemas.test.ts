import { runInNewContext } from "node:vm";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkData, documentedProblems } from "../../src/event/schemas.ts";

const PROPERTY = {
  id: "prop_1",
  type: "apartment",
  address: "12 rue de l’Église, Orléans",
  surface: 64.5,
  rooms: 3,
  purchase_price: 210_000,
  created_at: "2024-01-15T10:30:00Z",
  owner: { id: "user_7", name: "Zoë Åkerström" },
};

describe("checkData of property.created", () => {
  it("accepts the shape in the service description", async () => {
    expect(await checkData("property.created", PROPERTY, {})).toEqual({ ok: true, data: PROPERTY });
  });

  it("keeps fields that the description does not show, even nested ones", async () => {
    const data = { ...PROPERTY, energy: { class: "C" }, owner: { ...PROPERTY.owner, vip: true } };
    expect(await checkData("property.created", data, {})).toEqual({ ok: true, data });
  });

  it.each([
    ["data.id", { ...PROPERTY, id: "property_1" }],
    ["data.surface", { ...PROPERTY, surface: "64.5" }],
    ["data.rooms", { ...PROPERTY, rooms: 2.5 }],
    ["data.id", { ...PROPERTY, id: null }],
    ["data.owner", { ...PROPERTY, owner: "Zoë" }],
    ["data.owner.id", { ...PROPERTY, owner: { ...PROPERTY.owner, id: "7" } }],
    ["data.id", {}],
  ])("[case 39] names %s if it does not fit", async (field, data) => {
    expect(await checkData("property.created", data, {})).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });

  it.each(Object.keys(PROPERTY).filter((name) => name !== "id"))(
    "accepts a property whose %s is null or absent, since the description promises neither",
    async (name) => {
      const { [name]: _, ...data } = PROPERTY as Record<string, unknown>;
      for (const one of [data, { ...data, [name]: null }]) {
        expect(await checkData("property.created", one, {})).toEqual({ ok: true, data: one });
      }
    },
  );

  it.each(["id", "name"])("accepts an owner whose %s is null or absent", async (name) => {
    const { [name]: _, ...owner } = PROPERTY.owner as Record<string, unknown>;
    for (const one of [owner, { ...owner, [name]: null }]) {
      const data = { ...PROPERTY, owner: one };
      expect(await checkData("property.created", data, {})).toEqual({ ok: true, data });
    }
  });
});

describe("checkData of other kinds", () => {
  it.each(["payment.received", "unknown.kind", "__proto__", "toString", "constructor", ""])(
    "accepts anything for %j",
    async (kind) => {
      const data = { anything: [1, null] };
      expect(await checkData(kind, data, {})).toEqual({ ok: true, data });
    },
  );
});

/** A schema of no known library, with what its check returns. */
const byHand = (result: unknown): StandardSchemaV1 => ({
  "~standard": { version: 1, vendor: "by-hand", validate: () => result as never },
});

describe("checkData with the user's schemas", () => {
  it("uses the schema instead of the documented one, for unknown kinds too, and returns its output", async () => {
    const schemas = {
      "payment.received": z.object({ amount: z.string().transform(Number) }),
      "property.created": z.object({ ref: z.int() }),
      "visit.booked": z.object({ at: z.string() }),
    };
    expect(await checkData("payment.received", { amount: "12.5" }, schemas)).toEqual({
      ok: true,
      data: { amount: 12.5 },
    });
    expect(await checkData("property.created", { ref: 1 }, schemas)).toMatchObject({ ok: true });
    expect(await checkData("visit.booked", {}, schemas)).toMatchObject({
      ok: false,
      problems: [{ field: "data.at" }],
    });
  });

  it("waits for an asynchronous schema", async () => {
    const schema = z.object({ id: z.string().refine(async (id) => id === "known") });
    const schemas = { "tenant.created": schema };
    expect(await checkData("tenant.created", { id: "known" }, schemas)).toMatchObject({ ok: true });
    expect(await checkData("tenant.created", { id: "other" }, schemas)).toMatchObject({
      ok: false,
      problems: [{ field: "data.id" }],
    });
  });

  it.each<[string, StandardSchemaV1, object]>([
    [
      "a promise of another realm, or of a library",
      byHand(runInNewContext("Promise.resolve({ issues: [{ message: 'no', path: ['amount'] }] })")),
      { field: "data.amount" },
    ],
    [
      "path segments as objects",
      byHand({ issues: [{ message: "no", path: [{ key: "lines" }, 0, { key: "amount" }] }] }),
      { field: "data.lines[0].amount" },
    ],
    ["a refusal of data itself", z.object({}).refine(() => false), { field: "data" }],
    [
      "an issue without a path",
      byHand({ issues: [{ message: "no" }] }),
      { field: "data", message: "no (got object)" },
    ],
    [
      "no issue at all",
      byHand({ issues: [] }),
      { field: "data", message: "does not fit its schema" },
    ],
  ])("names what does not fit if a Standard Schema returns %s", async (_, schema, problem) => {
    const result = await checkData("expense.created", { amount: 1 }, { "expense.created": schema });
    expect(result).toMatchObject({ ok: false, problems: [problem] });
  });

  it("uses only own keys of the schemas", async () => {
    const schemas = Object.create({ "expense.created": z.object({ never: z.never() }) }) as object;
    expect(await checkData("expense.created", {}, { ...schemas })).toMatchObject({ ok: true });
    expect(await checkData("expense.created", {}, schemas as Record<string, never>)).toMatchObject({
      ok: true,
    });
  });
});

describe("documentedProblems", () => {
  it("names what does not fit property.created, and nothing in kinds without a documented shape", () => {
    expect(documentedProblems("property.created", PROPERTY)).toEqual([]);
    expect(documentedProblems("property.created", { ...PROPERTY, rooms: "3" })).toMatchObject([
      { field: "data.rooms" },
    ]);
    expect(documentedProblems("payment.received", {})).toEqual([]);
  });
});
