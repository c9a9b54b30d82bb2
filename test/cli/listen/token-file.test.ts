import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TOKEN_FILE, tokenFile } from "../../../src/cli/listen/token-file.ts";
import { tempFolder } from "../fake-io.ts";

const RECORD = { hash: "a".repeat(64), usedAt: 12 };

it("a file that others can write counts as empty, and is replaced; damaged lines are left out", () => {
  const { records, path } = open();
  records.write([RECORD]);
  chmodSync(path, 0o666);
  expect(records.read()).toEqual([]);
  records.write([RECORD]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const others = ["{", "null", '{"hash":"short","usedAt":1}', '{"hash":1}'];
  writeFileSync(path, [...others, JSON.stringify(RECORD)].join("\n"));
  expect(records.read()).toEqual([RECORD]);
});

it("a symbolic link is not followed", () => {
  const { records, path, folder } = open();
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, `${JSON.stringify(RECORD)}\n`, { mode: 0o600 });
  symlinkSync(elsewhere, path);
  expect(records.read()).toEqual([]);
  records.write([]);
  expect(readFileSync(elsewhere, "utf8")).toContain(RECORD.hash);
});

it("a file that cannot be written is reported once, and without a state folder nothing is written", () => {
  const { records, path, said } = open();
  mkdirSync(path);
  records.write([RECORD]);
  records.write([RECORD]);
  expect(said).toEqual([expect.stringContaining(TOKEN_FILE)]);
  const cwd = tempFolder();
  tokenFile(cwd, { talk: () => {} }).write([RECORD]);
  expect(existsSync(join(cwd, ".hookporter"))).toBe(false);
});

it("a name that others can read or that is damaged counts as missing, and is replaced by one that stays", () => {
  const { records, folder } = open();
  const path = join(folder, ".hookporter", "inspector-name");
  const first = records.seed();
  expect(records.seed()).toBe(first);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  const second = records.seed();
  expect(second).not.toBe(first);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, "localhost\n");
  expect(records.seed()).not.toContain("localhost");
  expect(records.seed()).toBe(records.seed());
});

it("a name that cannot be kept is one of its run alone", () => {
  const { records, folder } = open();
  mkdirSync(join(folder, ".hookporter", "inspector-name"));
  expect(records.seed()).toMatch(/^[\w-]{22}$/);
  const cwd = tempFolder();
  const without = tokenFile(cwd, { talk: () => {} });
  expect(without.seed()).not.toBe(without.seed());
  expect(existsSync(join(cwd, ".hookporter"))).toBe(false);
});

function open() {
  const folder = tempFolder();
  mkdirSync(join(folder, ".hookporter"));
  const said: string[] = [];
  return {
    records: tokenFile(folder, { talk: (line) => said.push(line) }),
    path: join(folder, TOKEN_FILE),
    said,
    folder,
  };
}
