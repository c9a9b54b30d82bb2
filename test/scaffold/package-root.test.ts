import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { findPackageRoot } from "../../src/scaffold/package-root.ts";

test("finds this package from its sources", async () => {
  expect((await findPackageRoot()).path).toBe(resolve("."));
});

test("finds the package from dist, past a broken package.json and somebody else's", async () => {
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

test("says so where there is no such package", async () => {
  await expect(findPackageRoot(tmpdir())).rejects.toThrow(/install it again/);
});
