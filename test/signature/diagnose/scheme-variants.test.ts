import { describe, expect, it } from "vitest";
import { schemeVariants } from "../../../src/signature/diagnose/scheme-variants.ts";
import { named } from "./named.ts";

const URL_HEADERS = { host: "b.example" };

describe("schemeVariants", () => {
  it.each([
    ["17.{}", "timestamp.body"],
    ["v0:17:{}", "v0:timestamp:body"],
    ["17:{}", "timestamp:body"],
    ["17{}", "timestamp and body"],
    ["wh_1.17.{}", "id.timestamp.body"],
  ])("names %s, from headers of any kind", (signed, name) => {
    const fields = { "X-Webhook-Timestamp": "17", "x-webhook-id": "wh_1", "x-webhook-id-2": "no" };
    for (const headers of [fields, new Headers(fields)])
      expect(named(schemeVariants(Buffer.from("{}"), headers), signed)).toEqual([
        `other_scheme: ${name}`,
      ]);
  });

  it("takes no long value for a timestamp, and no more than four", () => {
    const tried = (headers: Record<string, string>) =>
      schemeVariants(Buffer.from("{}"), headers).length;
    expect(tried({ timestamp: "1".repeat(100) })).toBe(5);
    expect(tried({ timestamp: "1".repeat(101) })).toBe(0);
    const five = ["a", "b", "c", "d", "e"].map((name) => [`${name}-timestamp`, name]);
    expect(tried(Object.fromEntries(five))).toBe(20);
    expect(tried({ "x-time": "17" })).toBe(0);
  });

  it.each([
    ['{"timestamp" : "2026-01-15T09:20:00.500Z"}', "2026-01-15T09:20:00.500Z"],
    ['{"timestamp":"2026-01-15T09:20:00.500Z"}', "1768468800"],
    ['{"timestamp":"2026-01-15T09:20:00.500Z"}', "1768468800500"],
    ['{"timestamp":1768468800}', "1768468800"],
    ['{"timestamp":"yesterday"}', "yesterday"],
    [`{${" ".repeat(65_513)}"timestamp":"yesterday"}`, "yesterday"],
  ])("takes the time in %j for %s", (body, time) => {
    expect(named(schemeVariants(Buffer.from(body)), `${time}.${body}`)).toEqual([
      "other_scheme: timestamp.body",
    ]);
  });

  it.each([
    '{"time":"17"}',
    '{"timestamp":{}}',
    "timestamp: 17",
    `${" ".repeat(65_536)}{"timestamp":"yesterday"}`,
  ])("finds no time in it", (body) => {
    expect(schemeVariants(Buffer.from(body))).toEqual([]);
  });

  it.each([
    ["https://b.example/c?d{}", "the URL and the body"],
    ["http://b.example/c{}", "the URL and the body"],
    ["{}https://b.example/c?d", "the body and the URL"],
    ["/c{}", "the path and the body"],
    ["/c?d{}", "the path and the body"],
  ])("names %j", (signed, name) => {
    expect(named(schemeVariants(Buffer.from("{}"), URL_HEADERS, "/c?d"), signed)).toEqual([
      `other_scheme: ${name}`,
    ]);
  });

  it("tries each host once, and no target that is no path", () => {
    const tried = (headers: Record<string, string>, target: string) =>
      schemeVariants(Buffer.from("{}"), headers, target).length;
    const one = tried({ host: "b" }, "/c");
    expect(tried({ host: "b", "x-forwarded-host": "b" }, "/c")).toBe(one);
    expect(tried({ host: "b", "x-forwarded-host": "e" }, "/c")).toBe(one + 4);
    expect(tried({}, "/c")).toBe(1);
    for (const target of ["", "*", "x/c"]) expect(tried({ host: "b" }, target)).toBe(0);
  });
});
