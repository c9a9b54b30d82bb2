import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openReadyFile } from "../../../src/cli/ready/ready-file.ts";
import { tempFolder } from "../fake-io.ts";

const FIELDS = { url: "http://127.0.0.1:4400/webhooks", pid: process.pid };

it("a file left by a killed process is removed at once, and so is an empty one, as mktemp creates it", () => {
  for (const text of [JSON.stringify({ ...FIELDS, pid: 1 }), ""]) {
    const path = join(tempFolder(), "ready.json");
    writeFileSync(path, text);
    const file = openReadyFile(path);
    expect(existsSync(path)).toBe(false);
    file.write(FIELDS);
    expect(existsSync(path)).toBe(true);
  }
});

it("the file can be written again, but is left alone once another process has taken it over", () => {
  const path = join(tempFolder(), "ready.json");
  const file = openReadyFile(path);
  file.write(FIELDS);
  file.write({ ...FIELDS, url: "http://127.0.0.1:1/" });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ url: "http://127.0.0.1:1/" });
  writeFileSync(path, JSON.stringify({ ...FIELDS, pid: process.pid + 1 }));
  file.remove();
  expect(existsSync(path)).toBe(true);
});
