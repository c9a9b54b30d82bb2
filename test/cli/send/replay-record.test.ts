import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { RECORD_INTERVAL, ReplayRecord } from "../../../src/cli/send/replay-record.ts";
import type { Sendable } from "../../../src/relay/chaos.ts";
import { tempFolder } from "../fake-io.ts";

it("what was sent is written each second, so that a killed run sends no more than a second of it again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const run = {
    cwd: tempFolder(),
    what: ["fx"],
    target: new URL("http://app.test/"),
    exact: false,
  };
  const items = ["a", "b", "c"].map((name) => ({
    item: {} as Sendable,
    name,
    body: Buffer.from(name),
  }));
  const record = new ReplayRecord(run, items, false);
  const written = () => {
    const folder = join(run.cwd, ".hookporter");
    const files = readdirSync(run.cwd).includes(".hookporter") ? readdirSync(folder) : [];
    const texts = files
      .filter((name) => name.startsWith("replay-"))
      .map((name) => join(folder, name));
    return texts.flatMap((path) => JSON.parse(readFileSync(path, "utf8")).sent).length;
  };
  const add = (at: number) => record.add(items[at]?.item as Sendable);
  vi.advanceTimersByTime(RECORD_INTERVAL - 1);
  add(0);
  expect(written()).toBe(0);
  vi.advanceTimersByTime(1);
  add(1);
  expect(written()).toBe(2);
  vi.advanceTimersByTime(RECORD_INTERVAL - 1);
  add(2);
  expect(written()).toBe(2);
});

it.each([
  '{"version":2,"sent":[]}',
  '{"version":1}',
  '{"version":1,"sent":[7]}',
  "[]",
  '{"version":1,"se',
])("a record that another version wrote or that is damaged, such as %s, is not resumed", (text) => {
  const run = {
    cwd: tempFolder(),
    what: ["fx"],
    target: new URL("http://app.test/"),
    exact: false,
  };
  new ReplayRecord(run, [], false).write();
  expect(new ReplayRecord(run, [], true)).toBeInstanceOf(ReplayRecord);
  const folder = join(run.cwd, ".hookporter");
  const [name = ""] = readdirSync(folder).filter((text) => text.startsWith("replay-"));
  writeFileSync(join(folder, name), text);
  expect(() => new ReplayRecord(run, [], true)).toThrow(
    expect.objectContaining({ code: "input_invalid" }),
  );
});

/** A run and its items, each of a name and a body. */
function runOf(items: readonly (readonly [name: string, body: string])[], cwd = tempFolder()) {
  const run = {
    cwd,
    what: ["fx"],
    target: new URL("http://app.test/in?key=hunter2"),
    exact: false,
  };
  const recordables = items.map(([name, body]) => ({
    item: {} as Sendable,
    name,
    body: Buffer.from(body),
  }));
  const sendables = recordables.map(({ item }) => item);
  const resume = (more: Partial<typeof run> = {}) =>
    new ReplayRecord({ ...run, ...more }, recordables, true);
  return { run, record: new ReplayRecord(run, recordables, false), sendables, resume };
}

it("of equal bodies each is sent, as are those that differ in their names or bytes alone", () => {
  const { record, sendables, resume } = runOf([
    ["a", "1"],
    ["a", "1"],
    ["a", "1"],
    ["b", "1"],
    ["a", "2"],
  ]);
  for (const [at, item] of sendables.entries()) {
    record.add(item);
    record.write();
    const before = sendables.map((sendable) => resume().has(sendable));
    expect(before).toEqual(sendables.map((_, other) => other <= at));
  }
});

it("a record from before an upgrade still counts: digests of name and bytes, of equal ones with their number", () => {
  const { run, record, sendables, resume } = runOf([
    ["a", "1"],
    ["a", "1"],
    ["a", "1"],
  ]);
  record.write();
  const folder = join(run.cwd, ".hookporter");
  const [name = ""] = readdirSync(folder).filter((text) => text.startsWith("replay-"));
  const digest = createHash("sha256").update("a\u00001").digest("base64url").slice(0, 16);
  writeFileSync(join(folder, name), JSON.stringify({ version: 1, sent: [digest, `${digest}-3`] }));
  const resumed = resume();
  expect(sendables.map((item) => resumed.has(item))).toEqual([true, false, true]);
});

it("a run of other arguments, to another target or with --exact is another run", () => {
  const { record, resume } = runOf([]);
  record.write();
  resume();
  const others = [
    { what: ["fx", "fx"] },
    { target: new URL("http://app.test/in") },
    { exact: true },
  ];
  for (const other of others)
    expect(() => resume(other)).toThrow(expect.objectContaining({ code: "usage" }));
  expect(() => resume({ exact: true })).toThrow(
    "--resume: expected an earlier replay of the same arguments to http://app.test/in?key=…, got none: omit",
  );
});

it("a record that cannot be read is not taken for none", () => {
  const { run, record, resume } = runOf([]);
  record.write();
  const folder = join(run.cwd, ".hookporter");
  const [name = ""] = readdirSync(folder).filter((text) => text.startsWith("replay-"));
  rmSync(join(folder, name));
  mkdirSync(join(folder, name));
  expect(() => resume()).toThrow(`could not read ${join(folder, name)}: it is a folder`);
});

it("a run whose record cannot be written says so, until it can", () => {
  const { run, record, sendables } = runOf([["a", "1"]]);
  const folder = join(run.cwd, ".hookporter");
  writeFileSync(folder, "");
  for (const item of sendables) record.add(item);
  expect(record.toGoOn(2)).toMatch(
    /^this run cannot be resumed, since \.hookporter could not be written: .+/,
  );
  rmSync(folder);
  expect(record.toGoOn(2)).toBe("run it again with --resume to send only the 2 that are left");
  expect(record.toGoOn(1)).toBe("run it again with --resume to send only the one that is left");
});
