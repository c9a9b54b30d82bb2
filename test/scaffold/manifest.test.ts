import { expect, test } from "vitest";
import { renderManifest } from "../../src/scaffold/manifest.ts";

const render = (...layers: readonly object[]) =>
  JSON.parse(
    renderManifest(
      layers.map((layer) => JSON.stringify(layer)),
      { name: "mine", version: "1.2.3" },
    ),
  );

test("a later layer adds to scripts and dependencies, and its scripts come first", () => {
  const manifest = render(
    {
      name: "x",
      type: "module",
      scripts: { test: "tsc", start: "one" },
      dependencies: { zod: "1" },
    },
    { scripts: { dev: "next", start: "two" }, dependencies: { next: "1", hookporter: "0" } },
  );
  expect(manifest).toMatchObject({ name: "mine", type: "module" });
  expect(Object.entries(manifest.scripts)).toEqual([
    ["dev", "next"],
    ["start", "two"],
    ["test", "tsc"],
  ]);
  expect(Object.entries(manifest.dependencies)).toEqual([
    ["hookporter", "^1.2.3"],
    ["next", "1"],
    ["zod", "1"],
  ]);
});

test("a project cannot have the name of one of its dependencies", () => {
  expect(() => render({ devDependencies: { mine: "1" } })).toThrow(/unique project name/);
});
