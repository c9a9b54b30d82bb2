import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseHandlers } from "../../src/cli/chosen-handlers.ts";
import { createContext } from "../../src/cli/context.ts";
import { readForward } from "../../src/cli/forward-rules.ts";
import { checkForwarding, checkTargets, forwardTimeout, receiverLimits } from "../../src/cli/forwarding.ts";
import { DEFAULT_RETRY } from "../../src/dispatch/retry.ts";
import { Router } from "../../src/receiver/router.ts";
import { runCli, tempFolder } from "./fake-io.ts";
import { listening } from "./open-listen.ts";

const one = readForward("3000");

describe("options that cannot be combined", () => {
  it.each([
    ["--sync without a target", { sync: true }],
    ["--sync with two targets", { sync: true, forwardTo: readForward("3001", one) }],
    ["--sync with a pattern", { sync: true, forwardTo: readForward("payment.*=3001") }],
    ["--sync with handlers", { sync: true, forwardTo: one, handlers: "h.js" }],
    ["--catch-up with nothing to run", { catchUp: true }],
    ["--dead-letters without an order", { deadLetters: "block" as const }],
  ])("are refused: %s", (_, options) => {
    expect(() => checkForwarding(options)).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it.each([
    { sync: true, forwardTo: one },
    { catchUp: true, handlers: "h.js" },
    { catchUp: false },
    { deadLetters: "block" as const, orderBy: "data.id" },
    {},
  ])("are not found in %j", (options) => {
    expect(() => checkForwarding(options)).not.toThrow();
  });

  it.each([["--sync"], ["--catch-up"], ["--dead-letters", "block"]])(
    "make the command exit with 2: %s",
    async (...argv) => {
      expect((await runCli(["listen", "--port", "0", ...argv])).code).toBe(2);
    },
  );

  it("are dropped if they come from a setting, so that a plain command works", async () => {
    const cwd = tempFolder();
    const listen = { sync: true, catchUp: true, deadLetters: "block" };
    writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ listen }));
    writeFileSync(join(cwd, "h.js"), "export default {};");
    await (await listening([], cwd)).stop();
    await (await listening(["--handlers", "h.js", "--forward-to", "9"], cwd)).stop();
  });
});

it.each([
  ["4400", 4400, false],
  ["localhost:4400/other", 4400, false],
  ["payment.*=4400", 4400, false],
  ["80", 80, false],
  ["4401", 4400, true],
  ["[::1]:4400", 4400, true],
  ["https://localhost", 80, true],
])("target %s with own port %s: %s", (target, own, fits) => {
  const check = () => checkTargets({ forwardTo: readForward(target) }, own);
  if (fits) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: "usage" }));
});

it("listen does not forward to itself", async () => {
  const port = "1"; // refused before anything is opened
  for (const target of [`${port}/webhooks`, `http://127.0.0.1:${port}`]) {
    expect(await runCli(["listen", "--port", port, "--forward-to", target])).toMatchObject({ code: 2 });
  }
});

it("a target has 30 seconds to answer, 10 with --sync, or --forward-timeout", () => {
  expect([forwardTimeout({}), forwardTimeout({ sync: true })]).toEqual([30_000, 10_000]);
  expect(forwardTimeout({ sync: true, forwardTimeout: 5 })).toBe(5);
});

it("a handler has at least as much time as its forward", () => {
  expect(receiverLimits({ forwardTo: one, forwardTimeout: 90_000 }).handlerTimeout).toBeGreaterThan(90_000);
  expect(receiverLimits({ forwardTo: one, forwardTimeout: 5 }).handlerTimeout).toBeGreaterThan(30_000);
  expect(receiverLimits({ handlers: "h.js" }).handlerTimeout).toBeUndefined();
});

it("entries are never given up, targets are tried at most 30 seconds apart, handlers get the usual attempts", async () => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "h.js"),
    `export default (receiver) => {
      receiver.on("*", () => {});
      receiver.onUnknown(() => {});
      receiver.on("payment.*", () => {}, { attempts: 2 });
    };`,
  );
  const unused = { env: {}, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const context = createContext({
    ...{ ...unused, cwd, isTTY: { stdin: false, stdout: false, stderr: false } },
    ...{ exit: () => {}, onSignal: () => () => {}, onKeys: () => () => {}, onStray: () => () => {} },
  });
  const router = new Router();
  (await chooseHandlers({ handlers: "h.js", forwardTo: one }, {}, context))(router);
  const attempts = (kind: string) => router.match(kind).map((named) => named.attempts);
  expect(attempts("payment.received")).toEqual([DEFAULT_RETRY.attempts, 2, undefined]);
  expect(attempts("lease.signed")).toEqual([DEFAULT_RETRY.attempts, DEFAULT_RETRY.attempts, undefined]);
  for (const options of [{}, { handlers: "h.js" }, { forwardTo: one }])
    expect(receiverLimits(options).retry.attempts).toBe(Number.POSITIVE_INFINITY);
  expect(receiverLimits({ forwardTo: one }).retry).toMatchObject({ delay: 500, maxDelay: 30_000 });
});
