import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "..", "src");

/** The folders, from the top down. A folder may import those below it, but not another one in its row. */
const ROWS = [
  ["cli"],
  ["inspector"],
  ["testing.ts", "index.ts", "client.ts", "sandbox.ts"],
  ["sandbox"],
  ["relay", "scaffold", "check", "tunnel", "client", "stream"],
  ["receiver"],
  ["dispatch"],
  ["inbox"],
  ["event", "signature"],
  ["errors.ts", "logger.ts", "is-loopback.ts", "retry-after.ts"],
];

/** Where a package may be imported, types included. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  commander: /^cli\//,
  chalk: /^cli\//,
  "@clack/prompts": /^cli\//,
  jiti: /^cli\/handlers-module\.ts$/,
  express: /^(?:receiver\/(?:express|express-server|server)\.ts$|sandbox\/)/,
  ws: /^(?:sandbox|stream)\//,
  pino: /^receiver\/default-logger\.ts$/,
  "@ngrok/ngrok": /^tunnel\/ngrok\.ts$/,
  zod: /^(?:event|client)\//,
  "@photostructure/sqlite": /^inbox\/sqlite/,
  "@standard-schema/spec": /^event\//,
  preact: /^inspector\/ui\//,
  "preact/hooks": /^inspector\/ui\//,
};

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.replaceAll("\\", "/"));

const imports = files.flatMap((file) => {
  const text = readFileSync(join(source, file), "utf8");
  const found = text.matchAll(/(?:(?<!\.)\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g);
  return [...found].map((match) => ({ file, target: match[1] ?? "" }));
});

const inside = imports
  .filter(({ target }) => target.startsWith("."))
  .map(({ file, target }) => ({ file, target: relative(source, join(source, dirname(file), target)) }))
  .filter(({ target }) => /\.tsx?$/.test(target));

it("the sources are found", () => {
  expect(files.length).toBeGreaterThan(50);
  expect(inside.length).toBeGreaterThan(200);
});

it("every folder has its row", () => {
  expect(files.filter((file) => rowOf(file) < 0)).toEqual([]);
});

it("arrows point only down", () => {
  const wrong = inside.filter(({ file, target }) => {
    if (roomOf(file) === roomOf(target)) return false;
    return rowOf(target) <= rowOf(file);
  });
  expect(wrong).toEqual([]);
});

it("there is no import cycle, even of types", () => {
  const edges = new Map<string, string[]>();
  for (const { file, target } of inside) edges.set(file, [...(edges.get(file) ?? []), target]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    else if (!done.has(file)) {
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    }
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

it("each package is imported only in its folder", () => {
  const outside = imports.filter(({ target }) => !target.startsWith(".") && !target.startsWith("node:"));
  const wrong = outside.filter(({ file, target }) => PACKAGES[target]?.test(file) !== true);
  expect(wrong).toEqual([]);
});

it("only the CLI ends the process and uses the console", () => {
  const wrong = files.filter((file) => {
    if (file.startsWith("cli/")) return false;
    return /\bprocess\.exit\(|\bconsole\./.test(readFileSync(join(source, file), "utf8"));
  });
  expect(wrong).toEqual([]);
});

function roomOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function rowOf(file: string): number {
  return ROWS.findIndex((row) => row.includes(roomOf(file)));
}
