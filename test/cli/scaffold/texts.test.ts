import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { generateSecret, renderEnvFile, setInEnvText } from "../../../src/cli/scaffold/env-file.ts";
import { renderManifest } from "../../../src/cli/scaffold/manifest.ts";
import { nameProblem, projectNameOf } from "../../../src/cli/scaffold/project-name.ts";

test("the example's own line is filled in, or one is added, with a secret that is new each time", () => {
  const secret = generateSecret();
  const text = renderEnvFile("# why\nHOOKPORTER_SECRET=\nPORT=1\n", secret);
  expect(text).toBe(`# why\nHOOKPORTER_SECRET=${secret}\nPORT=1\n`);
  for (const example of ["", "PORT=1", "PORT=1\n"])
    expect(parseEnv(renderEnvFile(example, secret))).toMatchObject({ HOOKPORTER_SECRET: secret });
  expect(new Set(Array.from({ length: 100 }, generateSecret)).size).toBe(100);
});

test.each([
  ["A=1\nS=\nB=2\n", "A=1\nS=x\nB=2\n"],
  ["A=1\r\nS=old\r\nB=2", "A=1\r\nS=x\r\nB=2"],
  ["S=\nS=\n", "S=\nS=x\n"],
  ["  export S = old", "  export S=x"],
  ["#S=\nSS=1\nS2=2", "#S=\nSS=1\nS2=2\nS=x\n"],
  ["A=1\r\n", "A=1\r\nS=x\r\n"],
  ["", "S=x\n"],
])("one variable in %j is set, and nothing else changes", (before, after) => {
  expect(setInEnvText(before, "S", "x")).toBe(after);
});

test("a project may have a name that npm takes, and no other", () => {
  for (const name of ["a", "my-receiver", "@acme/rent.desk_2", "0x", "x".repeat(214)])
    expect(nameProblem(name), name).toBeUndefined();
  for (const name of ["@acme", "@acme/", "/x", "a@b", "é", "a:b", "favicon.ico", "-x", "~x"])
    expect(nameProblem(name), name).toBeTypeOf("string");
});

test.each([
  ["/home/ada/My Receiver", "my-receiver"],
  ["/home/ada/.hidden", "hidden"],
  ["/home/ada/Été 2026!", "t-2026"],
  ["/home/ada/東京", "my-receiver"],
  ["/", "my-receiver"],
  ["/home/ada/node_modules", "my-receiver"],
  [`/home/ada/${"x".repeat(250)}`, "x".repeat(214)],
])("a valid name is derived from the folder %j", (directory, name) => {
  expect(projectNameOf(directory)).toBe(name);
  expect(nameProblem(name)).toBeUndefined();
});

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
