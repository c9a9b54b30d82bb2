import { expect, it } from "vitest";
import { type Assumptions, ServiceError } from "../../src/entries/client.ts";
import { ERROR_CODES } from "../../src/entries/index.ts";
import { DEFAULT_ASSUMPTIONS } from "../../src/service/client/assumptions.ts";
import { DEFAULT_CLIENT_RETRY, DEFAULT_LIMITS } from "../../src/service/client/client-options.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/package/client.md");

it("the page has the actual defaults of a client and of its retries", () => {
  const rows = rowsOf(sectionOf(page, "Options of createClient"));
  const defaults = Object.entries({ ...DEFAULT_LIMITS, ...DEFAULT_CLIENT_RETRY });
  for (const [name, value] of defaults) {
    const row = rows.find(([cell = ""]) => quoted(cell)[0] === name);
    expect([name, row?.[2]?.replace(/ \(.*\)$/, "")]).toEqual([name, String(value)]);
  }
});

it("the page lists every assumption with its default", () => {
  const rows = rowsOf(sectionOf(page, "Assumptions")).flatMap(([, assumed = "", option = ""]) => {
    const [name] = quoted(option);
    return name === undefined ? [] : [[name as keyof Assumptions, quoted(assumed)[0]] as const];
  });
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_ASSUMPTIONS);
});

it("the page lists every field and every code of an error", () => {
  const error = new ServiceError(
    { code: "service_failed", message: "", mayHaveHappened: false },
    1,
  );
  const fields = Object.keys(error).filter((name) => name !== "name");
  const rows = rowsOf(sectionOf(page, "Errors"));
  const onPage = rows
    .map(([name = ""]) => quoted(name)[0])
    .filter((name) => name !== undefined && name in error);
  expect(onPage.sort()).toEqual([...fields, "message"].sort());
  const codes = Object.keys(ERROR_CODES).filter((code) => code.startsWith("service_"));
  expect(quoted(rows[0]?.[1] ?? "")).toEqual(codes);
});
