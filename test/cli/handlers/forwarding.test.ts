import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { chooseHandlers } from "../../../src/cli/handlers/chosen-handlers.ts";
import { forwardTimeout, receiverLimits } from "../../../src/cli/handlers/forwarding.ts";
import { readForward } from "../../../src/cli/handlers/values.ts";
import { DEFAULT_RETRY } from "../../../src/dispatch/retry.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";
import { tempFolder } from "../fake-io.ts";

const one = readForward("3000");

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
    ...{
      exit: () => {},
      onSignal: () => () => {},
      onKeys: () => () => {},
      onBrokenOutput: () => {},
      onStray: () => () => {},
      onExitCall: () => () => {},
    },
  });
  const router = new Router();
  const { handlers } = await chooseHandlers({ handlers: "h.js", forwardTo: one }, {}, context);
  handlers(router);
  const attempts = (kind: string) => router.match(kind).map((named) => named.attempts);
  expect(attempts("payment.received")).toEqual([DEFAULT_RETRY.attempts, 2, undefined]);
  expect(attempts("lease.signed")).toEqual([DEFAULT_RETRY.attempts, DEFAULT_RETRY.attempts, undefined]);
  for (const options of [{}, { handlers: "h.js" }, { forwardTo: one }])
    expect(receiverLimits(options).retry.attempts).toBe(Number.POSITIVE_INFINITY);
  expect(receiverLimits({ forwardTo: one }).retry).toMatchObject({ delay: 500, maxDelay: 30_000 });
});
