import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { chooseHandlers } from "../../../src/cli/handlers/chosen-handlers.ts";
import {
  forwardingOf,
  forwardTimeout,
  orderByPath,
  receiverLimits,
} from "../../../src/cli/handlers/forwarding.ts";
import { readForward } from "../../../src/cli/handlers/values.ts";
import { DEFAULT_RETRY } from "../../../src/dispatch/retry.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";
import { sampleEvent } from "../../dispatch/sample.ts";
import { tempFolder } from "../fake-io.ts";

const one = readForward("3000");

it("a target has 30 seconds to answer, 10 with --sync, or --forward-timeout", () => {
  expect([forwardTimeout({}), forwardTimeout({ sync: true })]).toEqual([30_000, 10_000]);
  expect(forwardTimeout({ sync: true, forwardTimeout: 5 })).toBe(5);
});

it("a handler has at least as much time as its forward", () => {
  expect(receiverLimits({ forwardTo: one, forwardTimeout: 90_000 }).handlerTimeout).toBeGreaterThan(
    90_000,
  );
  expect(receiverLimits({ forwardTo: one, forwardTimeout: 5 }).handlerTimeout).toBeGreaterThan(
    30_000,
  );
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
    ...unused,
    cwd,
    isTTY: { stdin: false, stdout: false, stderr: false },
    exit: () => {},
    onSignal: () => () => {},
    onKeys: () => () => {},
    onBrokenOutput: () => {},
    onStray: () => () => {},
    onExitCall: () => () => {},
  });
  const router = new Router();
  const { handlers } = await chooseHandlers({ handlers: "h.js", forwardTo: one }, {}, context);
  handlers(router);
  const attempts = (kind: string) => router.match(kind).map((named) => named.attempts);
  expect(attempts("payment.received")).toEqual([DEFAULT_RETRY.attempts, 2, undefined]);
  expect(attempts("lease.signed")).toEqual([
    DEFAULT_RETRY.attempts,
    DEFAULT_RETRY.attempts,
    undefined,
  ]);
  for (const options of [{}, { handlers: "h.js" }, { forwardTo: one }])
    expect(receiverLimits(options).retry.attempts).toBe(Number.POSITIVE_INFINITY);
  expect(receiverLimits({ forwardTo: one }).retry).toMatchObject({ delay: 500, maxDelay: 30_000 });
});

it("without a limit, no event is remembered that was forwarded, however long listen runs", () => {
  const output = { talk: () => {} } as never;
  const { takes } = forwardingOf({ forwardWhere: { path: "data.id", value: "p" } }, { output });
  const add = vi.spyOn(Set.prototype, "add");
  onTestFinished(() => add.mockRestore());
  expect([takes?.(eventWith({ id: "p" })), takes?.(eventWith({ id: "q" }))]).toEqual([true, false]);
  expect(add).not.toHaveBeenCalled();
});

const eventWith = (data: Record<string, unknown>) => {
  const whole = sampleEvent();
  return { ...whole, data, envelope: { ...whole.envelope, data } };
};

it.each([
  ["data.id", { id: "prop_1" }, "prop_1"],
  ["data.owner.id", { owner: { id: 7 } }, "7"],
  ["data.list.0", { list: ["first"] }, "first"],
  ["data.vacant", { vacant: false }, "false"],
  ["webhook.id", {}, "wh_1"],
  ["event", {}, "payment.received"],
])("the path finds %s", (path, data, key) => {
  expect(orderByPath(path)(eventWith(data))).toBe(key);
});

it.each([
  ["data.id", {}],
  ["data.id", { id: null }],
  ["data.id", { id: "" }],
  ["data.id", { id: { a: 1 } }],
  ["data.id", { id: ["a"] }],
  ["data.id.more", { id: "prop_1" }],
  ["data.toString", {}],
  ["data.__proto__", {}],
  ["data.id.length", { id: "prop_1" }],
  ["nothing.there", {}],
])("there is no order if %s is absent or not a plain value", (path, data) => {
  expect(orderByPath(path)(eventWith(data))).toBeUndefined();
});
