import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readLayers } from "../../../src/cli/scaffold/layers.ts";

let place: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "hookporter-layers-"));
});

afterEach(() => rm(place, { recursive: true, force: true }));

/** Makes a layer from paths and texts. */
async function layer(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const target = join(place, name, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return join(place, name);
}

async function filesOf(...folders: readonly string[]): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await readLayers(folders)).files);
}

test("a file of a later layer replaces the same one of an earlier layer", async () => {
  const below = await layer("below", { "src/a.ts": "below", "b.ts": "below" });
  const above = await layer("above", { "src/a.ts": "above" });
  expect(await filesOf(below, above)).toEqual({ "src/a.ts": "above", "b.ts": "below" });
});

test("manifests are collected in order, and template.json is no file of a project", async () => {
  const below = await layer("below", { "package.json": "1" });
  const above = await layer("above", { "package.json": "2", "template.json": "{}" });
  const { files, manifests } = await readLayers([below, above]);
  expect(manifests).toEqual(["1", "2"]);
  expect([...files]).toEqual([]);
});

test("a line that names a part becomes the part, in each language's comment and with its indentation", async () => {
  const below = await layer("below", {
    "_parts/one": "first\n\nsecond\n",
    "_parts/two.md": "<!-- part: one -->\n",
  });
  const above = await layer("above", {
    "a.ts": "{\n  // part: one\n}\n",
    Dockerfile: "# part: one\nUSER node\n",
    "README.md": "# Title\n\n<!-- part: two.md -->\n\nEnd\n",
  });
  expect(await filesOf(below, above)).toEqual({
    "a.ts": "{\n  first\n\n  second\n}\n",
    Dockerfile: "first\n\nsecond\nUSER node\n",
    "README.md": "# Title\n\nfirst\n\nsecond\n\nEnd\n",
  });
});

test("a part of a later layer replaces the same one of an earlier layer, and an empty one leaves no trace; one that no layer has is an error", async () => {
  const below = await layer("below", {
    "_parts/one": "below\n",
    "a.md": "1\n\n# part: one\n\n2\n\n# part: end\n",
    "_parts/end": "",
  });
  const above = await layer("above", { "_parts/one": "" });
  expect(await filesOf(below)).toEqual({ "a.md": "1\n\nbelow\n\n2\n" });
  expect(await filesOf(below, above)).toEqual({ "a.md": "1\n\n2\n" });
  const only = await layer("only", { "a.md": "# part: none\n" });
  await expect(readLayers([only])).rejects.toThrow(/part none/);
});

test("what a developer leaves behind is not copied, nor what a link leads to", async () => {
  const only = await layer("only", {
    "node_modules/a.js": "",
    ".env": "",
    "dist/a.js": "",
    "a.ts": "",
  });
  await symlink(join(only, "a.ts"), join(only, "b.ts"));
  expect(await filesOf(only)).toEqual({ "a.ts": "" });
});
