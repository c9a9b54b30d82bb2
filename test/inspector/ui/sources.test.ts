import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "..", "..", "..", "src", "inspector", "ui");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

it("no source can turn text into markup or code", () => {
  const ways =
    /innerHTML|outerHTML|dangerouslySet|insertAdjacent|document\.write|\beval\(|new Function|srcdoc|createContextual/;
  expect(sources.length).toBeGreaterThan(30);
  expect(sources.filter(({ text }) => ways.test(text)).map(({ name }) => name)).toEqual([]);
});

const API: readonly (string | undefined)[] = ["../api.ts", "../bulk-api.ts", "../overview-api.ts"];

/** What both sides share; none of these files imports code. */
const SHARED: readonly (string | undefined)[] = [
  "../../diff-lines.ts",
  "../../duration-text.ts",
  "../../default-endpoint.ts",
  "../../inbox/counts.ts",
];

it("the sources import only the types of the API, and what both sides share, from the program", () => {
  const outside = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/^import (type )?[^;]*? from "(\.\.[^"]*)";$/gms)].map(([, type, target]) => [
      name,
      type,
      target,
    ]),
  );
  expect(outside.length).toBeGreaterThan(10);
  const isAllowed = ([, type, target]: (typeof outside)[number]) =>
    SHARED.includes(target) || (type !== undefined && API.includes(target));
  expect(outside.filter((one) => !isAllowed(one))).toEqual([]);
});
