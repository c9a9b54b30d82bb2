import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { problemLine, toDataProblems } from "../../src/event/data-problems.ts";

/** In values and in keys: it must be in no problem. */
const CANARY = "canary-5f1c";

const DATA = {
  surface: CANARY,
  tags: ["a", 7],
  email: `${CANARY}@example`,
  state: `${CANARY.toUpperCase()} state`,
  amount: -512,
  nested: { rent: null },
  secret: { [CANARY]: CANARY },
};

const zod = z.object({
  surface: z.number(),
  tags: z.array(z.string()),
  email: z.email(),
  state: z.enum(["open", "closed"]),
  amount: z.number().min(0),
  nested: z.object({ rent: z.string() }),
  secret: z.strictObject({}),
  missing: z.string(),
});

const valibot = v.object({
  surface: v.number(),
  tags: v.array(v.string()),
  email: v.pipe(v.string(), v.email()),
  state: v.picklist(["open", "closed"]),
  amount: v.pipe(v.number(), v.minValue(0)),
  nested: v.object({ rent: v.string() }),
  secret: v.pipe(
    v.record(v.string(), v.string()),
    v.check(() => false, `the secret ${CANARY} is wrong`),
  ),
  missing: v.string(),
});

const arktype = type({
  surface: "number",
  tags: "string[]",
  email: "string.email",
  state: "'open'|'closed'",
  amount: "number >= 0",
  nested: { rent: "string" },
  missing: "string",
});

function problemsOf(schema: StandardSchemaV1, data: unknown): readonly string[] {
  const result = schema["~standard"].validate(data);
  if (result instanceof Promise) throw new Error("expected a schema that is not asynchronous");
  return toDataProblems(result.issues ?? [], data).map(problemLine);
}

describe("the problems of data", () => {
  it("name field, expectation and type with zod", () => {
    expect(problemsOf(zod, DATA)).toEqual([
      "data.surface: expected number, got string",
      "data.tags[1]: expected string, got number",
      "data.email: Invalid email address (got string)",
      'data.state: Invalid option: expected one of "open"|"closed" (got string)',
      "data.amount: Too small: expected number to be >=0 (got number)",
      "data.nested.rent: expected string, got null",
      "data.secret: expected no other fields, got object",
      "data.missing: expected string, got nothing",
    ]);
  });

  it("name field, expectation and type with valibot", () => {
    expect(problemsOf(valibot, DATA)).toEqual([
      "data.surface: expected number, got string",
      "data.tags[1]: expected string, got number",
      "data.email: Invalid email (got string)",
      'data.state: expected ("open" | "closed"), got string',
      "data.amount: expected >=0, got number",
      "data.nested.rent: expected string, got null",
      "data.secret: does not fit its schema, got object",
      "data.missing: is missing",
    ]);
  });

  it("name field, expectation and type with arktype", () => {
    expect([...problemsOf(arktype, DATA)].sort()).toEqual([
      "data.amount: expected non-negative, got number",
      "data.email: expected an email address, got string",
      "data.missing: expected a string, got nothing",
      "data.nested.rent: expected a string, got null",
      'data.state: expected "closed" or "open", got string',
      "data.surface: expected a number, got string",
      "data.tags[1]: expected a string, got number",
    ]);
  });

  it.each(["zod", "valibot", "arktype"] as const)("hold no value and no key of data with %s", (library) => {
    const schema = { zod, valibot, arktype }[library];
    expect(problemsOf(schema, DATA).join("\n").toLowerCase()).not.toContain(CANARY);
  });

  it.each([
    ["a value", { iban: CANARY }, `the IBAN ${CANARY} is unknown`],
    ["a value in other letters", { iban: CANARY }, `the IBAN ${CANARY.toUpperCase()} is unknown`],
    ["a value with spaces around it", { iban: ` ${CANARY}\n` }, `the IBAN ${CANARY} is unknown`],
    ["a value as JSON", { iban: `${CANARY}"\n` }, `the IBAN ${JSON.stringify(`${CANARY}"\n`)} is unknown`],
    ["a short value", { iban: "NL" }, "the country NL is unknown"],
    ["a number", { iban: 42 }, "the IBAN 42 is unknown"],
    ["a key", { [CANARY]: 1 }, `the field ${CANARY} is unknown`],
    ["a value deep inside", { a: [{ b: [CANARY] }] }, `the IBAN ${CANARY} is unknown`],
  ])("leave out a message that holds %s", (_, data, message) => {
    expect(toDataProblems([{ message }], data)).toEqual([
      { field: "data", message: "does not fit its schema, got object" },
    ]);
  });

  it("keep a message that only shares letters with a key or a short value", () => {
    const data = { mail: "it", is: 1.5 };
    expect(toDataProblems([{ message: "email, split within 15" }], data)).toEqual([
      { field: "data", message: "email, split within 15 (got object)" },
    ]);
  });

  it("leave out every message if data is too large to be compared", () => {
    const data = { list: Array.from({ length: 30_000 }, () => 0) };
    expect(toDataProblems([{ message: "no" }], data)[0]?.message).toBe("does not fit its schema, got object");
  });

  it("are at most 20, and at least one", () => {
    const issues = Array.from({ length: 50 }, (_, index) => ({ message: "no", path: [`f${index}`] }));
    expect(toDataProblems(issues, {})).toHaveLength(20);
    expect(toDataProblems([], {})).toHaveLength(1);
  });

  it("take at most 2 KiB, and 64 bytes for each step of a path", () => {
    const long = "ü".repeat(400);
    const issues = Array.from({ length: 20 }, () => ({ message: "no", path: [long, long, long] }));
    const problems = toDataProblems(issues, {});
    expect(Buffer.byteLength(problems.map(problemLine).join("\n"))).toBeLessThanOrEqual(2048);
    expect(problems.length).toBeGreaterThan(3);
    const [, step = ""] = problems[0]?.field.split(".") ?? [];
    expect(Buffer.byteLength(step)).toBeLessThanOrEqual(64);
    expect(step).toMatch(/^ü+…$/);
  });

  it("quote steps that are no names", () => {
    const issues = [{ message: "no", path: ["a b", { key: "\u001b[2J" }, 0, Symbol("s")] }];
    expect(toDataProblems(issues, {})[0]?.field).toBe('data["a b"]["\\u001b[2J"][0]["Symbol(s)"]');
  });
});
