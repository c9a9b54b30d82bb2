// The packages that are bundled into dist/: their notices, as their licences require, and a list
// for scanners.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Licences that let anyone bundle the code if the notice is kept. */
export const PERMISSIVE = [
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
];

/** A line of a licence that names an owner. */
const COPYRIGHT = /^[ \t]*(?:copyright (?:\(c\)|©|\d)|\(c\)).*$/gim;

const LINE = `\n${"-".repeat(72)}\n\n`;

/**
 * A list of the packages that modules belong to, each with its version and licence, then every
 * copyright notice, and each text of terms once.
 *
 * @param {readonly string[]} moduleIds - the files that were bundled
 * @throws if a package has no licence file, or its licence is not permissive
 */
export function noticesOf(moduleIds) {
  const packages = packagesOf(moduleIds);
  const list = packages.map(({ title, license }) => `${title}: ${license}\n`);
  /** Packages by the terms of their licence, which most of them share word for word. */
  const groups = new Map();
  for (const { title, text } of packages) {
    const terms = text.replace(COPYRIGHT, "").trim();
    const key = terms.replaceAll(/\s+/g, " ");
    const owners = [...text.matchAll(COPYRIGHT)].map(([line]) => `  ${line.trim()}\n`);
    const group = groups.get(key) ?? { terms, names: [] };
    groups.set(key, { ...group, names: [...group.names, `${title}\n${owners.join("")}`] });
  }
  const notices = [...groups.values()].map(({ terms, names }) => `${names.join("")}\n${terms}\n`);
  return [`hookporter contains these packages:\n\n${list.join("")}`, ...notices].join(LINE);
}

/**
 * The same packages as a bill of materials, in CycloneDX's JSON: `npm audit` and scanners do not
 * see what is bundled. It has no random number, and the time of the commit, so that the same
 * sources make the same file.
 *
 * @param {readonly string[]} moduleIds - the files that were bundled
 * @param {{ name: string, version: string, license: string, needs: readonly string[] }} own - the
 * package that they are bundled into, and the names of those that it imports
 * @param {{ integrity: (folder: string) => string | undefined, timestamp?: string }} sources -
 * where the digests of packages come from, and the time of the commit
 */
export function sbomOf(moduleIds, own, { integrity, timestamp }) {
  const packages = packagesOf(moduleIds);
  const content = {
    metadata: { timestamp, component: componentOf(own) },
    components: packages.map((found) => ({
      ...componentOf(found),
      hashes: hashesOf(integrity(found.folder)),
    })),
    dependencies: [own, ...packages].map((from) => ({
      ref: purlOf(from),
      dependsOn: packages.filter(({ name }) => from.needs.includes(name)).map(purlOf),
    })),
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(content))}`;
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", serialNumber, version: 1 };
  return `${JSON.stringify({ ...head, ...content })}\n`;
}

function componentOf({ name, version, license }) {
  const [, group, bare] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name) ?? [];
  const purl = purlOf({ name, version });
  const licenses = [{ license: { id: license } }];
  return { type: "library", "bom-ref": purl, group, name: bare, version, licenses, purl };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Of a digest as lockfiles have it, such as `sha512-…` in base64. */
function hashesOf(integrity = "") {
  const [algorithm, digest] = integrity.split("-", 2);
  if (algorithm !== "sha512") throw new Error(`expected a digest sha512-…, got ${integrity}`);
  return [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
}

/** A UUID of version 8, which may have any content. */
function uuidOf(text) {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function packagesOf(moduleIds) {
  const folders = new Set(
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  return [...folders].map(readPackage).sort((a, b) => (a.title < b.title ? -1 : 1));
}

function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license } = manifest;
  if (!PERMISSIVE.includes(license)) {
    throw new Error(
      `expected ${name} to have a permissive licence, got ${license}: do not bundle it, or read the licence and add it to PERMISSIVE`,
    );
  }
  const files = readdirSync(folder);
  const file = files.find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined)
    throw new Error(`expected a licence file in ${folder}, got none: do not bundle it`);
  const notice = files.find((entry) => /^notice/i.test(entry)); // Apache-2.0 wants it passed on
  const texts = [file, notice]
    .filter(Boolean)
    .map((entry) => readFileSync(join(folder, entry), "utf8"));
  const { dependencies = {}, peerDependencies = {} } = manifest;
  const needs = Object.keys({ ...dependencies, ...peerDependencies });
  return {
    name,
    version,
    title: `${name} ${version}`,
    license,
    text: texts.join("\n"),
    folder,
    needs,
  };
}
