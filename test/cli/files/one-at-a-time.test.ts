import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { oneAtATime } from "../../../src/cli/files/one-at-a-time.ts";
import { tempFolder } from "../fake-io.ts";

const newLock = () => join(tempFolder(), "work.lock");

it("work under the same lock is done one at a time, and the lock is removed, even after an error", async () => {
  const lock = newLock();
  let running = 0;
  const onWait = vi.fn();
  const works = Array.from({ length: 5 }, (_, number) =>
    oneAtATime(
      lock,
      async () => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        if (number === 0) throw new Error("failed");
        return number;
      },
      { onWait },
    ),
  );
  const results = await Promise.allSettled(works);
  expect(results.map(({ status }) => status)).toEqual(["rejected", ...Array(4).fill("fulfilled")]);
  expect(onWait).toHaveBeenCalledTimes(4);
  expect(existsSync(lock)).toBe(false);
});

it.each([
  ["a process that has ended", `${spawnSync(process.execPath, ["-e", ""]).pid} x\n`, 0],
  ["10 minutes ago", `${process.pid} x\n`, 601],
])("a lock of %s is ignored", async (_, content, age) => {
  const lock = newLock();
  writeFileSync(lock, content);
  const at = Date.now() / 1000 - age;
  utimesSync(lock, at, at);
  expect(await oneAtATime(lock, async () => "done", { onWait: () => {} })).toBe("done");
  expect(existsSync(lock)).toBe(false);
});

it("waiting for a lock can be aborted, and leaves it to its owner", async () => {
  const lock = newLock();
  const held = `${process.pid} x\n`;
  writeFileSync(lock, held);
  const signal = AbortSignal.timeout(20);
  const work = vi.fn(async () => {});
  await expect(oneAtATime(lock, work, { onWait: () => {}, signal })).rejects.toMatchObject({
    name: "TimeoutError",
  });
  expect(work).not.toHaveBeenCalled();
  expect(readFileSync(lock, "utf8")).toBe(held);
});

it("the work is done without a lock if none can be written", async () => {
  const lock = join(tempFolder(), "missing", "work.lock");
  expect(await oneAtATime(lock, async () => "done", { onWait: () => {} })).toBe("done");
});
