import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  type RememberedSubscription,
  SUBSCRIPTIONS_FILE,
  SubscriptionMemory,
} from "../../../src/cli/service/subscription-memory.ts";
import { tempFolder } from "../fake-io.ts";

/** Subscriptions that each process writes. */
const EACH = 50;

function sample(number: number): RememberedSubscription {
  return {
    ...{
      id: `wh_${number}`,
      state: "created",
      url: `https://app.example/${number}`,
      events: ["lead.created"],
    },
    ...{ baseUrl: "https://api.example", environment: "test", secretFingerprint: "0123456789ab" },
    ...{ tunnel: null, createdAt: "2026-01-15T10:00:00.000Z" },
  };
}

it("subscriptions are remembered, replaced and forgotten, in order of creation", () => {
  const memory = new SubscriptionMemory(tempFolder());
  expect(memory.all).toEqual([]);
  for (const number of [1, 2, 3]) memory.add(sample(number));
  memory.replace(sample(1), sample(4));
  memory.forget(sample(2));
  memory.forget(sample(5));
  expect(memory.all).toEqual([sample(3), sample(4)]);
});

it("nothing is lost if several processes write at the same time", { timeout: 60_000 }, async () => {
  const cwd = tempFolder();
  const names = ["a", "b", "c"];
  const writers = names.map((name) => {
    const argv = [join(import.meta.dirname, "remember.mjs"), cwd, name, String(EACH)];
    return spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  });
  onTestFinished(() => {
    for (const writer of writers) writer.kill();
  });
  await Promise.all(writers.map(({ stdout }) => once(stdout, "data")));
  const ended = writers.map((writer) => once(writer, "exit"));
  for (const { stdin } of writers) stdin.write("go\n");
  expect(await Promise.all(ended)).toEqual(names.map(() => [0, null]));
  const { all } = new SubscriptionMemory(cwd);
  for (const name of names) {
    const theirs = all.filter(({ url }) => url.startsWith(`https://app.example/${name}/`));
    expect(theirs.map(({ url }) => url.split("/").at(-1))).toEqual(
      Array.from({ length: EACH }, (_, number) => String(number)),
    );
  }
  expect(all.filter(({ state }) => state !== "created")).toEqual([]);
});

it("a file that was edited by hand is still usable", () => {
  const cwd = tempFolder();
  const memory = new SubscriptionMemory(cwd);
  for (const number of [1, 2]) memory.add(sample(number));
  const path = join(cwd, SUBSCRIPTIONS_FILE);
  writeFileSync(path, `\n${readFileSync(path, "utf8").trimEnd()}`);
  memory.add(sample(3));
  expect(memory.all).toEqual([1, 2, 3].map(sample));
});

it("a damaged line is reported instead of being lost", () => {
  const cwd = tempFolder();
  const memory = new SubscriptionMemory(cwd);
  memory.add(sample(1));
  appendFileSync(join(cwd, SUBSCRIPTIONS_FILE), '{"format":\n');
  expect(() => memory.all).toThrow(expect.objectContaining({ code: "input_invalid" }));
});

it.skipIf(process.platform === "win32")("a symbolic link is never written through", () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".hookporter"));
  const other = join(cwd, "other");
  writeFileSync(other, "");
  symlinkSync(other, join(cwd, SUBSCRIPTIONS_FILE));
  const memory = new SubscriptionMemory(cwd);
  expect(() => memory.add(sample(1))).toThrow(expect.objectContaining({ code: "input_invalid" }));
  expect(readFileSync(other, "utf8")).toBe("");
});
