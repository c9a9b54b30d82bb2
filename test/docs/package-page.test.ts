import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { DEFAULT_RETRY } from "../../src/base/options/retry.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/package/index.md");
const options = readPage("docs/reference/package/create-receiver.md");
const rows = rowsOf(sectionOf(options, "createReceiver")).map(([name = "", , fallback = ""]) => ({
  name: quoted(name)[0] ?? "",
  fallback,
}));

it("the page has the actual defaults of the receiver", () => {
  const settings = readOptions({ secret: "a-secret-that-is-long-enough", inbox: "memory:" });
  const plain = Object.entries({ ...settings, ...DEFAULT_RETRY }).filter(([name, value]) => {
    return ["number", "string"].includes(typeof value) && rows.some((row) => row.name === name);
  });
  expect(plain.length).toBeGreaterThan(14);
  const onPage = plain.map(([name]) => {
    const fallback = rows.find((row) => row.name === name)?.fallback ?? "";
    return [name, fallback.replaceAll("`", "").replace(/ \(.*\)$/, "")];
  });
  expect(onPage).toEqual(plain.map(([name, value]) => [name, String(value)]));
});

it("the page lists every import of the package", () => {
  const imports = rowsOf(page.slice(0, page.indexOf("## "))).map(([name = ""]) => quoted(name)[0]);
  const published = Object.keys(packageJson.exports).filter((name) => !name.endsWith(".json"));
  expect(imports).toEqual(published.map((name) => `hookporter${name.slice(1)}`));
});
