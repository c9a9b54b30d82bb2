import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { RECORD_INTERVAL, ReplayRecord } from "../../../src/cli/send/replay-record.ts";
import type { Sendable } from "../../../src/relay/chaos.ts";
import { tempFolder } from "../fake-io.ts";

it("what was sent is written each second, so that a killed run sends no more than a second of it again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const run = { cwd: tempFolder(), what: ["fx"], target: new URL("http://app.test/"), exact: false };
  const items = ["a", "b", "c"].map((name) => ({ item: {} as Sendable, name, body: Buffer.from(name) }));
  const record = new ReplayRecord(run, items, false);
  const written = () => {
    const folder = join(run.cwd, ".hookporter");
    const files = readdirSync(run.cwd).includes(".hookporter") ? readdirSync(folder) : [];
    const texts = files.filter((name) => name.startsWith("replay-")).map((name) => join(folder, name));
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

it.each(['{"version":2,"sent":[]}', '{"version":1}', '{"version":1,"sent":[7]}', "[]", '{"version":1,"se'])(
  "a record that another version wrote or that is damaged, such as %s, is not resumed",
  (text) => {
    const run = { cwd: tempFolder(), what: ["fx"], target: new URL("http://app.test/"), exact: false };
    new ReplayRecord(run, [], false).write();
    expect(new ReplayRecord(run, [], true)).toBeInstanceOf(ReplayRecord);
    const folder = join(run.cwd, ".hookporter");
    const [name = ""] = readdirSync(folder).filter((one) => one.startsWith("replay-"));
    writeFileSync(join(folder, name), text);
    expect(() => new ReplayRecord(run, [], true)).toThrow(expect.objectContaining({ code: "input_invalid" }));
  },
);
