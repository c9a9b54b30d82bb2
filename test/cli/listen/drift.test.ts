import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Learned, learn } from "../../../src/learn/shape.ts";
import { writeShapes } from "../../../src/learn/shape-file.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 15_000, interval: 20 };

function folderWithShapes(): string {
  const cwd = tempFolder();
  const learned: Learned = new Map();
  for (let count = 0; count < 3; count++)
    learn(learned, "payment.received", { id: "pay_1001", amount: "12.50" }, count);
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src", "schemas.shape.json"), writeShapes(learned));
  return cwd;
}

function send(data: object, url: string, cwd: string) {
  return runCli(["trigger", "payment.received", "--data", JSON.stringify(data), "--url", url], {
    cwd,
  });
}

it("a changed sender is told of within one delivery, in the record and on the page", async () => {
  const cwd = folderWithShapes();
  const { url, records } = await listening([], cwd);
  await send({ id: "pay_1", amount: "7.00" }, url, cwd);
  expect(records("drift")).toEqual([]);
  await send({ id: "pay_2", amount: 7.5 }, url, cwd);
  await vi.waitFor(() => expect(records("drift")).toHaveLength(1), WAIT);
  const difference = {
    kind: "payment.received",
    path: "data.amount",
    expected: "string (decimal)",
    got: "number",
    seq: 2,
  };
  expect(records("drift")).toMatchObject([{ ...difference, change: "type changed" }]);
  const page = new URL(String(records("ready")[0]?.inspector));
  const headers = { authorization: `Bearer ${page.hash.replace("#token=", "")}` };
  const drifts = await (await fetch(`${page.origin}/api/drifts`, { headers })).json();
  expect(drifts).toMatchObject([{ ...difference, what: "type changed" }]);
});

it("a changed sender is told of within one delivery in the terminal", async () => {
  const cwd = folderWithShapes();
  const listen = startCli(["listen", "--port", "0", "--no-inspect"], { cwd });
  onTestFinished(async () => {
    listen.signal("SIGINT");
    await listen.finished;
  });
  const shown = () => listen.now().stdout + listen.now().stderr;
  const url = await vi.waitFor(() => {
    const [found] = /http:\/\/127\.0\.0\.1:\d+\/webhooks/.exec(shown()) ?? [];
    if (found === undefined) throw new Error(`not ready: ${shown()}`);
    return found;
  }, WAIT);
  await send({ id: "pay_1", amount: "7.00" }, url, cwd);
  await send({ id: "pay_2", amount: 7.5 }, url, cwd);
  const difference = "data.amount: type changed, expected string (decimal), got number";
  await vi.waitFor(() => expect(shown()).toContain(difference), WAIT);
  expect(shown()).toMatch(/#2 +! payment\.received +differs/);
});
