import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../fake-io.ts";
import { awayTarget, startReceiving, type TargetReply } from "../fake-target.ts";
import { envelope, sendingTo } from "./sending.ts";

/** The exit codes of `trigger` and `replay` that send as many events to the same target. */
async function exitCodes(count: number, target: () => Promise<{ readonly url: string }>) {
  const cwd = tempFolder();
  const files = Array.from({ length: count }, (_, index) => `${index}.json`);
  for (const [index, file] of files.entries())
    writeFileSync(join(cwd, file), JSON.stringify(envelope({ data: { id: `pay_${index}` } })));
  const triggered = await sendingTo(await target(), cwd).run(
    `trigger payment.received --count ${count}`,
  );
  const replayed = await sendingTo(await target(), cwd).run(`replay ${files.join(" ")}`);
  return [triggered.code, replayed.code];
}

describe("trigger and replay end with the same code", () => {
  it.each([1, 3, 11])("5 if nothing answers %i deliveries", async (count) => {
    expect(await exitCodes(count, awayTarget)).toEqual([5, 5]);
  });

  it.each<[number, TargetReply[], number]>([
    [1, [200], 0],
    [3, [200], 0],
    [1, [401], 1],
    [3, [401], 1],
    [3, [200, 401, 200], 1],
    [1, [500], 1],
  ])("for %i deliveries that are answered %j: %i", async (count, replies, code) => {
    expect(await exitCodes(count, () => startReceiving(...replies))).toEqual([code, code]);
  });
});

describe("trigger --expect", () => {
  it.each<[TargetReply, string, number]>([
    [401, "--expect 401 --tamper signature", 0],
    [200, "--expect 401 --tamper signature", 1],
    [403, "--expect 401 --no-signature", 1],
    [409, "--expect 409 --count 3", 0],
    [204, "--expect 200", 1],
  ])("takes %j with %s for %i", async (reply, flags, code) => {
    const target = await startReceiving(reply);
    const run = await sendingTo(target).run(`trigger payment.received ${flags}`);
    expect(run.code).toBe(code);
  });

  it("says what was expected", async () => {
    const target = await startReceiving(401, 401, 200);
    const run = await sendingTo(target).run("trigger payment.received --expect 401 --count 3");
    expect(run.stderr).toContain("3 sent, 2 answered 401, 1 not answered 401");
    expect(run.code).toBe(1);
  });

  it("is 5 without an answer, and cannot wait for an outcome", async () => {
    const { run } = sendingTo(await awayTarget());
    expect((await run("trigger payment.received --expect 401")).code).toBe(5);
    expect((await run("trigger payment.received --expect 401 --wait")).code).toBe(2);
    expect((await run("trigger payment.received --expect 99")).code).toBe(2);
  });
});
