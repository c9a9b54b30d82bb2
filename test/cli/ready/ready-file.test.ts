import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openReadyFile } from "../../../src/cli/ready/ready-file.ts";
import { tempFolder } from "../fake-io.ts";

const FIELDS = { url: "http://127.0.0.1:4400/webhooks", pid: process.pid };
const refused = expect.objectContaining({ code: "input_invalid" });

it("the file exists from its writing to its removal, complete, and readable only by its owner", () => {
  const folder = tempFolder();
  const path = join(folder, "ready.json");
  const file = openReadyFile(path);
  expect(existsSync(path)).toBe(false);
  file.write(FIELDS);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ schemaVersion: 1, ...FIELDS });
  expect(readdirSync(folder)).toEqual(["ready.json"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  file.remove();
  expect(readdirSync(folder)).toEqual([]);
  file.remove();
});

it("a file left by a killed process is removed at once", () => {
  const path = join(tempFolder(), "ready.json");
  writeFileSync(path, JSON.stringify({ ...FIELDS, pid: 1 }));
  openReadyFile(path);
  expect(existsSync(path)).toBe(false);
});

it("an empty file is accepted, as mktemp creates it", () => {
  const path = join(tempFolder(), "ready.json");
  writeFileSync(path, "");
  const file = openReadyFile(path);
  expect(existsSync(path)).toBe(false);
  file.write(FIELDS);
  expect(existsSync(path)).toBe(true);
});

it("the file can be written again, whatever is there by then", () => {
  const path = join(tempFolder(), "ready.json");
  const file = openReadyFile(path);
  file.write(FIELDS);
  file.write({ ...FIELDS, url: "http://127.0.0.1:1/" });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ url: "http://127.0.0.1:1/" });
});

it("a file that another process has taken over is left alone", () => {
  const path = join(tempFolder(), "ready.json");
  const file = openReadyFile(path);
  file.write(FIELDS);
  writeFileSync(path, JSON.stringify({ ...FIELDS, pid: process.pid + 1 }));
  file.remove();
  expect(existsSync(path)).toBe(true);
});

it.each(["precious notes", "{}", "[1]", '{"pid":1}', " "])(
  "a path with %j is refused and left alone",
  (text) => {
    const path = join(tempFolder(), "notes.txt");
    writeFileSync(path, text);
    expect(() => openReadyFile(path)).toThrow(refused);
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);

it("a folder is refused, and so is a path in a missing folder", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "ready"));
  expect(() => openReadyFile(join(folder, "ready"))).toThrow(refused);
  expect(() => openReadyFile(join(folder, "none", "ready.json"))).toThrow(refused);
});
