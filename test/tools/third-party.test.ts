import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { noticesOf, PERMISSIVE } from "../../tools/third-party.js";
import { tempFolder } from "../cli/fake-io.ts";

const root = join(import.meta.dirname, "..", "..");
const notices = readFileSync(join(root, "dist", "THIRD-PARTY-NOTICES.txt"), "utf8");
const bill = readFileSync(join(root, "dist", "sbom.cdx.json"), "utf8");
const [list = "", ...texts] = notices.split(`\n${"-".repeat(72)}\n`);
const listed = [...list.matchAll(/^(\S+) (\S+): (.+)$/gm)].map(
  ([, name = "", version = "", licence = ""]) => ({
    name,
    version,
    licence,
  }),
);

/** The packages that sources import, types alone left out. */
function imported(folder: string): readonly string[] {
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return sources
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => readFileSync(join(root, folder, file), "utf8").replaceAll(/^\s*\*.*$/gm, ""))
    .flatMap((text) => [
      ...text.matchAll(
        /^(?:import|export) (?!type )[^;]*?from "([^"]+)";$|[^f] import\("([^"]+)"\)/gm,
      ),
    ])
    .map(([, first, second]) => first ?? second ?? "")
    .filter((name) => !/^(?:\.|node:|virtual:)/.test(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

/** A package and everything that it depends on. */
function closure(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  const manifest = JSON.parse(
    readFileSync(join(root, "node_modules", name, "package.json"), "utf8"),
  );
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
const bundled = [...own].filter(
  (name) => !installed.includes(name) || ["zod", "express"].includes(name),
);

/** What may be bundled. */
const possible = new Set([...bundled, "prom-client"].flatMap((name) => [...closure(name)]));

it("the notices list every package that is bundled, and none that is not", () => {
  expect(bundled).toEqual(
    expect.arrayContaining(["commander", "chalk", "express", "preact", "zod"]),
  );
  const names = listed.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(bundled));
  expect(names.filter((name) => !possible.has(name))).toEqual([]);
});

it("every bundled package has a permissive licence, and its notice is in the file", () => {
  expect(listed.length).toBeGreaterThan(30);
  expect(listed.filter(({ licence }) => !PERMISSIVE.includes(licence))).toEqual([]);
  const body = `\n${texts.join("\n")}`;
  expect(listed.filter(({ name, version }) => !body.includes(`\n${name} ${version}\n`))).toEqual(
    [],
  );
});

it("the bill of materials lists the same packages, in CycloneDX's form", () => {
  const { bomFormat, specVersion, version, metadata, components, ...rest } = JSON.parse(bill);
  expect([bomFormat, specVersion, version]).toEqual(["CycloneDX", "1.6", 1]);
  expect(metadata.component).toMatchObject({
    name: "hookporter",
    version: packageJson.version,
    licenses: [{ license: { id: "MIT" } }],
  });
  expect(rest.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
  expect(metadata.timestamp).toMatch(/^\d{4}-.*T.*Z$/);
  const hashes = [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }];
  const fields = { type: "library", "bom-ref": expect.any(String), hashes };
  expect(components).toEqual(
    listed.map(({ name, version, licence }) => {
      const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
      const [bare = "", group] = name.split("/").reverse();
      const scope = group === undefined ? {} : { group };
      const licenses = [{ license: { id: licence } }];
      return { ...fields, ...scope, name: bare, version, licenses, purl, "bom-ref": purl };
    }),
  );
});

it("it says which package needs which, so that each is reached from hookporter itself", () => {
  const { metadata, components, dependencies } = JSON.parse(bill);
  const refs = [metadata.component, ...components].map((component) => component["bom-ref"]);
  expect(dependencies.map(({ ref }: { ref: string }) => ref)).toEqual(refs);
  const needs = new Map<string, readonly string[]>(
    dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [
      ref,
      dependsOn,
    ]),
  );
  const reached = new Set<string>();
  const reach = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const next of needs.get(ref) ?? []) reach(next);
  };
  reach(refs[0]);
  expect(refs.filter((ref) => !reached.has(ref))).toEqual([]);
});

/** Texts in code that a bundler leaves as they are. */
function textsIn(code: string): ReadonlySet<string> {
  const texts = code.matchAll(/"([^"\\\n]{12,80})"|'([^'\\\n]{12,80})'/g);
  return new Set([...texts].map(([, double, single]) => double ?? single ?? ""));
}

function codeIn(folder: string, files: RegExp): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    files.test(name),
  );
  return names
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      return String(name.endsWith(".br") ? brotliDecompressSync(bytes) : bytes);
    })
    .join("\n");
}

it("the bill of materials is that of the bundle: what has its texts there is listed, and what is listed has some there", () => {
  // Minifiers write texts in backticks.
  const bundle = textsIn(
    codeIn(join(root, "dist"), /^(?!types).*\.(?:c?js|br)$/).replaceAll("`", '"'),
  );
  const own = textsIn(codeIn(join(root, "src"), /\.tsx?$/));
  const shares = [...possible].flatMap((name) => {
    const texts = textsIn(
      codeIn(join(root, "node_modules", name), /^(?!.*\b(?:node_modules|tests?)\b).*\.[cm]?js$/),
    );
    const particular = [...texts].filter((text) => !own.has(text));
    const found = particular.filter((text) => bundle.has(text)).length;
    return particular.length < 4 ? [] : [{ name, share: found / particular.length }];
  });
  expect(shares.length).toBeGreaterThan(30);
  const names = listed.map(({ name }) => name);
  const missing = shares.filter(({ name, share }) => share > 0.4 && !names.includes(name));
  const surplus = shares.filter(({ name, share }) => share === 0 && names.includes(name));
  expect({ missing, surplus }).toEqual({ missing: [], surplus: [] });
});

it("what no command needs of Express's packages is not bundled", () => {
  const needless = "body-parser cookie debug ipaddr.js negotiator object-inspect qs send".split(
    " ",
  );
  expect(listed.filter(({ name }) => needless.includes(name))).toEqual([]);
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
  const folder = join(tempFolder(), "node_modules", "one");
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.stringify({ name: "one", version: "1.0.0", license });
  writeFileSync(join(folder, "package.json"), manifest);
  for (const file of files) writeFileSync(join(folder, file), "Copyright (c) 2020 Somebody\n");
  expect(() => noticesOf([`${folder}/index.js`])).toThrow(message);
});
