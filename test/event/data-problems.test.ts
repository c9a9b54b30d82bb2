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

/** No value and no key of data is in a problem. */
function problemsOf(schema: StandardSchemaV1, data: unknown): readonly string[] {
  const result = schema["~standard"].validate(data);
  if (result instanceof Promise) throw new Error("expected a schema that is not asynchronous");
  const lines = toDataProblems(result.issues ?? [], data).map(problemLine);
  expect(lines.join("\n").toLowerCase()).not.toContain(CANARY);
  return lines;
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

  it.each([
    ["a value", { iban: CANARY }, `the account ${CANARY} is unknown`],
    ["a value in other letters", { iban: CANARY }, `the ${CANARY.toUpperCase()} is unknown`],
    ["a value with spaces around it", { iban: ` ${CANARY}\n` }, `the account ${CANARY} is unknown`],
    ["a value as JSON", { iban: `${CANARY}"\n` }, `no ${JSON.stringify(`${CANARY}"\n`)} here`],
    ["a short value", { iban: "NL" }, "the country NL is unknown"],
    ["a short value at its start", { iban: "NL" }, "NL is unknown"],
    ["a value within a word", { iban: "mail" }, "the email is unknown"],
    ["a value with a quote, as it is", { iban: `${CANARY}"` }, `the account ${CANARY}" is unknown`],
    ["a number", { iban: 42 }, "the account 42 is unknown"],
    ["a long number", { iban: -4217.5 }, "the account -4217.5 is unknown"],
    ["a key", { [CANARY]: 1 }, `the field ${CANARY} is unknown`],
    ["a value deep inside", { a: [{ b: [CANARY] }] }, `the account ${CANARY} is unknown`],
  ])("leave out a message that holds %s", (_, data, message) => {
    expect(toDataProblems([{ message }], data)).toEqual([
      { field: "data", message: "does not fit its schema, got object" },
    ]);
  });

  it.each([
    ["letters within words", { mail: "it", is: 1.5 }, "email, split within 15"],
    ["three characters within a word", { a: "mai" }, "the email is unknown"],
    ["an empty value", { a: "", b: " " }, "it is unknown"],
    ["a value that is neither a string nor a number", { a: true, b: null }, "true is not null"],
  ])("keep a message that shares with data only %s", (_, data, message) => {
    expect(toDataProblems([{ message }], data)[0]?.message).toBe(`${message} (got object)`);
  });

  it.each([
    ["a value in an expectation", { expected: `an account other than ${CANARY}` }],
    ["a value after a type's name", { expected: `string ${CANARY}` }],
    ["a value before a type's name", { expected: `${CANARY} string` }],
    ["a value in an expectation of a message", { message: `a must be ${CANARY} (was 1)` }],
    ["a literal value", { expected: `"${CANARY}"` }],
  ])("leave out %s", (_, issue) => {
    const problems = toDataProblems([{ message: "", path: ["a"], ...issue }], { a: CANARY });
    expect(problems).toEqual([{ field: "data.a", message: "does not fit its schema, got string" }]);
  });

  it.each([
    [{ expected: "never", message: "m" }, "expected no such field, got string"],
    [{ expected: "removed", message: "m" }, "expected no such field, got string"],
    [{ expected: "an integer", message: "m" }, "expected an integer, got string"],
    [{ expected: "", message: "m" }, "m (got string)"],
    [{ expected: 7, message: "m" }, "m (got string)"],
    [{ message: "a must be an integer" }, "expected an integer, got string"],
    [{ message: 'a must be an integer (was "x")' }, "expected an integer, got string"],
    [{ expected: "a must be even", message: "a must be even" }, "expected even, got string"],
    [{ message: "Wanted: received x" }, "Wanted (got string)"],
    [{ message: "Wanted but received x" }, "Wanted (got string)"],
    [{ message: "Wanted, but received x" }, "Wanted (got string)"],
    [{ message: ": received x" }, "does not fit its schema, got string"],
    [{ message: "" }, "does not fit its schema, got string"],
    [{ message: 7 as never }, "does not fit its schema, got string"],
  ])("say of the issue %j: %s", (issue, message) => {
    expect(
      toDataProblems([{ path: ["a"], ...issue } as StandardSchemaV1.Issue], { a: "x" }),
    ).toEqual([{ field: "data.a", message }]);
  });

  it.each([
    [["list"], "got array"],
    [["list", 0], "got number"],
    [["none"], "got null"],
    [["none", "b"], "got nothing"],
    [["text", "length"], "got nothing"],
    [["toString"], "got nothing"],
  ])("name the type at the path %j", (path, got) => {
    const data = { list: [1], none: null, text: "abc" };
    const [problem] = toDataProblems(
      [{ message: "", expected: "set", path } as StandardSchemaV1.Issue],
      data,
    );
    expect(problem?.message).toBe(`expected set, ${got}`);
  });

  it.each([
    [7, "data[7]"],
    ["12", "data[12]"],
    ["12a", 'data["12a"]'],
    ["a12", "data.a12"],
    [-1, "data[-1]"],
  ])("write the step %j as %s", (step, field) => {
    expect(toDataProblems([{ message: "no", path: [step] }], {})[0]?.field).toBe(field);
  });

  it("leave out every message if data is too large to be compared", () => {
    const data = { list: Array.from({ length: 30_000 }, () => 0) };
    expect(toDataProblems([{ message: "no" }], data)[0]?.message).toBe(
      "does not fit its schema, got object",
    );
  });

  it("are at most 20, and at least one", () => {
    const issues = Array.from({ length: 50 }, (_, index) => ({
      message: "no",
      path: [`f${index}`],
    }));
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

  it("are kept up to the last byte of 2 KiB", () => {
    const message = "x".repeat(128 - "data:  (got object)\n".length);
    const kept = (last: string) =>
      toDataProblems([...Array.from({ length: 15 }, () => ({ message })), { message: last }], {});
    expect(kept(message)).toHaveLength(16);
    expect(kept(`${message}x`)).toHaveLength(15);
  });

  it("quote steps that are no names", () => {
    const issues = [{ message: "no", path: ["a b", { key: "\u001b[2J" }, 0, Symbol("s")] }];
    expect(toDataProblems(issues, {})[0]?.field).toBe('data["a b"]["\\u001b[2J"][0]["Symbol(s)"]');
  });
});
