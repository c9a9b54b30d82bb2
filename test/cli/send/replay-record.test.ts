import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { RECORD_INTERVAL, ReplayRecord } from "../../../src/cli/send/replay-record.ts";
import type { Sendable } from "../../../src/relay/chaos.ts";
import { tempFolder } from "../fake-io.ts";

/** A run and its items, each of a name and a body. */
function runOf(...items: readonly (readonly [name: string, body: string])[]) {
  const target = new URL("http://app.test/in?key=hunter2");
  const run = { cwd: tempFolder(), what: ["fx"], target, exact: false };
  const recordables = items.map(([name, body]) => ({
    item: {} as Sendable,
    name,
    body: Buffer.from(body),
  }));
  const sendables = recordables.map(({ item }) => item);
  const resume = (more: Partial<typeof run> = {}) =>
    new ReplayRecord({ ...run, ...more }, recordables, true);
  const record = new ReplayRecord(run, recordables, false);
  const folder = join(run.cwd, ".hookporter");
  /** The file, once it is written. */
  const path = () => {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const [name = ""] = names.filter((one) => one.startsWith("replay-"));
    return name && join(folder, name);
  };
  return { record, sendables, resume, folder, path };
}

it("what was sent is written each second, so that a killed run sends no more than a second of it again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { record, sendables, path } = runOf(["a", "a"], ["b", "b"], ["c", "c"]);
  const writtenAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    record.add(sendables.shift() as Sendable);
    return path() === "" ? 0 : JSON.parse(readFileSync(path(), "utf8")).sent.length;
  };
  expect(writtenAfter(RECORD_INTERVAL - 1)).toBe(0);
  expect(writtenAfter(1)).toBe(2);
  expect(writtenAfter(RECORD_INTERVAL - 1)).toBe(2);
});

it("of equal bodies each is sent, as are those that differ in their names or bytes alone", () => {
  const { record, sendables, resume } = runOf(
    ["a", "1"],
    ["a", "1"],
    ["a", "1"],
    ["b", "1"],
    ["a", "2"],
  );
  for (const [at, item] of sendables.entries()) {
    record.add(item);
    record.write();
    const before = sendables.map((sendable) => resume().has(sendable));
    expect(before).toEqual(sendables.map((_, other) => other <= at));
  }
});

it("a record from before an upgrade still counts: digests of name and bytes, of equal ones with their number", () => {
  const { record, sendables, resume, path } = runOf(["a", "1"], ["a", "1"], ["a", "1"]);
  record.write();
  const digest = createHash("sha256").update("a\u00001").digest("base64url").slice(0, 16);
  writeFileSync(path(), JSON.stringify({ version: 1, sent: [digest, `${digest}-3`] }));
  const resumed = resume();
  expect(sendables.map((item) => resumed.has(item))).toEqual([true, false, true]);
});

it("a run of other arguments, to another target or with --exact is another run", () => {
  const { record, resume } = runOf();
  record.write();
  resume();
  for (const other of [{ what: ["fx", "fx"] }, { target: new URL("http://app.test/in") }])
    expect(() => resume(other)).toThrow(expect.objectContaining({ code: "usage" }));
  expect(() => resume({ exact: true })).toThrow(
    "--resume: expected an earlier replay of the same arguments to http://app.test/in?key=…, got none: omit",
  );
});

it("a record that cannot be read is not taken for none, and one that cannot be written is said", () => {
  const { record, resume, path, folder } = runOf(["a", "1"]);
  record.write();
  const file = path();
  rmSync(file);
  mkdirSync(file);
  expect(() => resume()).toThrow(`could not read ${file}: it is a folder`);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  expect(record.toGoOn(2)).toMatch(
    /^this run cannot be resumed, since \.hookporter could not be written: .+/,
  );
  rmSync(folder);
  expect(record.toGoOn(2)).toBe("run it again with --resume to send only the 2 that are left");
  expect(record.toGoOn(1)).toBe("run it again with --resume to send only the one that is left");
});
