import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { noticesOf, PERMISSIVE } from "../../scripts/third-party.js";

const root = join(import.meta.dirname, "..", "..");
const notices = readFileSync(join(root, "dist", "THIRD-PARTY-NOTICES.txt"), "utf8");
const [list = "", ...texts] = notices.split(`\n${"-".repeat(72)}\n`);
const listed = [...list.matchAll(/^(\S+) (\S+): (.+)$/gm)].map(
  ([, name = "", version = "", licence = ""]) => ({
    ...{ name, version, licence },
  }),
);

/** The packages that sources import, types alone left out. */
function imported(folder: string): readonly string[] {
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return sources
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => readFileSync(join(root, folder, file), "utf8").replaceAll(/^\s*\*.*$/gm, ""))
    .flatMap((text) => [
      ...text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";$|[^f] import\("([^"]+)"\)/gm),
    ])
    .map(([, first, second]) => first ?? second ?? "")
    .filter((name) => !/^(?:\.|node:|virtual:)/.test(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

/** A package and everything that it depends on. */
function closure(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  const manifest = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
  for (const next of Object.keys(manifest.dependencies ?? {})) closure(next, found);
  return found;
}

/** Users install these. Some are bundled all the same, as parts of the command line. */
const installed = Object.keys({
  ...packageJson.dependencies,
  ...packageJson.optionalDependencies,
  ...packageJson.peerDependencies,
});
const own = new Set([...imported("src"), ...imported("bin")]);
const bundled = [...own].filter((name) => !installed.includes(name) || ["zod", "express"].includes(name));

it("the notices list every package that is bundled, and none that is not", () => {
  expect(bundled).toEqual(expect.arrayContaining(["commander", "chalk", "express", "preact", "zod"]));
  const names = listed.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(bundled));
  // `debug`, which Express uses, imports what makes its output colourful if it is there.
  const possible = new Set(
    [...bundled, "prom-client", "supports-color"].flatMap((name) => [...closure(name)]),
  );
  expect(names.filter((name) => !possible.has(name))).toEqual([]);
});

it("every bundled package has a permissive licence, and its notice is in the file", () => {
  expect(listed.length).toBeGreaterThan(50);
  expect(listed.filter(({ licence }) => !PERMISSIVE.includes(licence))).toEqual([]);
  const body = `\n${texts.join("\n")}`;
  expect(listed.filter(({ name, version }) => !body.includes(`\n${name} ${version}\n`))).toEqual([]);
});

it.each([
  ["has no licence file", "MIT", [], /expected a licence file/],
  [
    "is not permissive",
    "GPL-3.0-only",
    ["LICENSE"],
    /expected one to have a permissive licence, got GPL-3.0-only/,
  ],
])("a package is not bundled if its licence %s", (_what, license, files, message) => {
  const place = mkdtempSync(join(tmpdir(), "hookporter-notices-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const folder = join(place, "node_modules", "one");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "one", version: "1.0.0", license }));
  for (const file of files) writeFileSync(join(folder, file), "Copyright (c) 2020 Somebody\n");
  expect(() => noticesOf([`${folder}/index.js`])).toThrow(message);
});
