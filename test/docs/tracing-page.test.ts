import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, it } from "vitest";
import { quoted, readPage, rowsOf, sectionOf, withoutCode } from "./markdown.ts";

const page = readPage("docs/tracing.md");

it("the attributes have the current names of OpenTelemetry's conventions, or begin with `hookporter.`", () => {
  const known = new Map<string, unknown>(Object.entries(conventions));
  const isKnown = (name: string) =>
    known.get(`ATTR_${name.replaceAll(".", "_").toUpperCase()}`) === name;
  const names = rowsOf(sectionOf(page, "Spans")).flatMap(([name = ""]) => quoted(name));
  expect(names.filter((name) => name.startsWith("messaging.")).length).toBeGreaterThan(5);
  expect(names.filter((name) => !name.startsWith("hookporter.") && !isKnown(name))).toEqual([]);
});

it("the page has every attribute that the source sets", () => {
  const source = readPage("src/observe/span-attributes.ts") + readPage("src/observe/spans.ts");
  const set = [...source.matchAll(/"((?:messaging|hookporter|exception|error)\.[\w.]+)"/g)].map(
    ([, name = ""]) => name,
  );
  expect(set.length).toBeGreaterThan(15);
  const named = quoted(withoutCode(page));
  expect(set.filter((name) => name !== "exception.message" && !named.includes(name))).toEqual([]);
});
