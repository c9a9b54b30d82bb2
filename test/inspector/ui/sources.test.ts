import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "..", "..", "..", "src");
const folder = join(source, "inspector", "ui");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

it("no source can turn text into markup or code", () => {
  const ways =
    /innerHTML|outerHTML|dangerouslySet|insertAdjacent|document\.write|\beval\(|new Function|srcdoc|createContextual/;
  expect(sources.length).toBeGreaterThan(30);
  expect(sources.filter(({ text }) => ways.test(text)).map(({ name }) => name)).toEqual([]);
});

/** The types of the API, by their paths below `src/`. */
const API = [
  "inspector/api.ts",
  "inspector/changes/bulk-api.ts",
  "inspector/overview/overview-api.ts",
  "inbox/pause.ts",
];

/** What both sides share; these files import no other code. */
const TEXT = ["diff-lines", "duration-text", "escape-invisible", "short-text", "size-text"];
const INBOX = ["counts", "entry-state", "outline", "pause", "target-wait"];
const JSON_CODE = ["json-lines", "json-reader"];
const SHARED = [
  ...TEXT.map((name) => `base/text/${name}.ts`),
  ...INBOX.map((name) => `inbox/${name}.ts`),
  ...JSON_CODE.map((name) => `inspector/json/${name}.ts`),
  "base/guards.ts",
  "base/newest-map.ts",
  "base/try-or.ts",
  "http/default-endpoint.ts",
  "inspector/changes/most-triggered.ts",
];

it("the sources import only the types of the API, and what both sides share, from the program", () => {
  const outside = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/^import (type )?[^;]*? from "(\.\.[^"]*)";$/gms)]
      .map(([, type, target = ""]) => ({ name, type, target: join(folder, dirname(name), target) }))
      .filter(({ target }) => !target.startsWith(folder))
      .map((one) => ({ ...one, target: relative(source, one.target).replaceAll("\\", "/") })),
  );
  expect(outside.length).toBeGreaterThan(10);
  const isAllowed = ({ type, target }: (typeof outside)[number]) =>
    SHARED.includes(target) || (type !== undefined && API.includes(target));
  expect(outside.filter((one) => !isAllowed(one))).toEqual([]);
});
