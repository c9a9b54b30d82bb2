import { expect, it } from "vitest";
import type { Incoming } from "../../src/entries/index.ts";
import type { BodyFailure } from "../../src/http/read-body.ts";
import { codeOf, quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/frameworks/write-an-adapter.md");
const [adapter = ""] = codeOf(page, "ts");

/** The types keep these complete: an added or removed name does not compile. */
const FIELDS: Readonly<Record<Exclude<keyof Incoming, "passedOn">, true>> = {
  method: true,
  target: true,
  path: true,
  headers: true,
  read: true,
  remoteAddress: true,
};
const REASONS: Readonly<Record<BodyFailure, true>> = {
  too_large: true,
  too_slow: true,
  aborted: true,
  stalled: true,
  overloaded: true,
};

it("the page's adapter is the one that the suite of all adapters runs", () => {
  const tested = readPage("test/receiver/stream-receiver.ts");
  expect(adapter).toBe(tested.replace('"../../src/entries/index.ts"', '"hookporter"'));
});

it("the page lists all that goes in, and every reason for no body", () => {
  const names = rowsOf(sectionOf(page, "What goes in")).map(
    ([name = ""]) => quoted(name)[0]?.split("(")[0],
  );
  expect(names).toEqual([...Object.keys(FIELDS), ...Object.keys(REASONS)]);
});
