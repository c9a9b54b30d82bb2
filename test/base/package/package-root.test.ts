import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { findPackageRoot } from "../../../src/base/package/package-root.ts";

test("the package is found from its sources", async () => {
  expect((await findPackageRoot()).path).toBe(resolve("."));
});

test("the package is found from dist, past a broken package.json and another package's", async () => {
  const place = await mkdtemp(join(tmpdir(), "hookporter-root-"));
  try {
    const inner = join(place, "dist", "inner");
    await mkdir(inner, { recursive: true });
    await writeFile(join(place, "package.json"), '{"name":"hookporter","version":"9.8.7"}');
    await writeFile(join(place, "dist", "package.json"), '{"name":"other","version":"1.0.0"}');
    await writeFile(join(inner, "package.json"), "{");
    expect(await findPackageRoot(inner)).toEqual({ path: place, version: "9.8.7" });
  } finally {
    await rm(place, { recursive: true });
  }
});

test("a missing package is reported", async () => {
  await expect(findPackageRoot(tmpdir())).rejects.toThrow(/install it again/);
});
