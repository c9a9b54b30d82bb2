import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

describe.each([
  "package-lock.json",
  "tools/site/package-lock.json",
  "tools/bench/peers/package-lock.json",
  "test/recipes/package-lock.json",
])("%s", (file) => {
  const text = readFileSync(join(import.meta.dirname, "..", file), "utf8");
  const packages: Record<
    string,
    { optionalDependencies?: Record<string, string>; engines?: object }
  > = JSON.parse(text).packages;

  it("contains the packages of every platform, or `npm ci` would refuse it on the others", () => {
    const names = Object.keys(packages);
    const missing = names.flatMap((name) =>
      Object.keys(packages[name]?.optionalDependencies ?? {}).filter(
        (wanted) => !names.some((known) => known.endsWith(`node_modules/${wanted}`)),
      ),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it("has only packages that support the oldest Node that it says, or `npm ci` would warn", () => {
    const [, ours] = /^>=(\d+)/.exec(String(Object(packages[""]?.engines).node)) ?? [];
    const tooNew = Object.entries(packages).filter(([, { engines }]) => {
      const [, oldest = "0"] = /^>= ?v?(\d+)[.\dx]*$/.exec(String(Object(engines).node)) ?? [];
      return Number(oldest) > Number(ours);
    });
    expect(tooNew.map(([name]) => name)).toEqual([]);
  });

  it("names no download address, which is the installing user's choice", () => {
    expect(text).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });
});
