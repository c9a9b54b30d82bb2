import { expect, it, onTestFinished, vi } from "vitest";
import { DEFAULT_RETRY } from "../../../src/base/options/retry.ts";
import { createContext } from "../../../src/cli/context.ts";
import { chooseHandlers } from "../../../src/cli/handlers/chosen-handlers.ts";
import {
  forwardingOf,
  forwardTimeout,
  orderByPath,
  receiverLimits,
} from "../../../src/cli/handlers/forwarding.ts";
import { readForward } from "../../../src/cli/handlers/values.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";
import { sampleEvent } from "../../dispatch/sample.ts";
import { fakeIo } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const one = readForward("3000");

it("a target has 30 seconds to answer, 10 with --sync, or --forward-timeout, and a handler at least as much", () => {
  expect([forwardTimeout({}), forwardTimeout({ sync: true })]).toEqual([30_000, 10_000]);
  expect(forwardTimeout({ sync: true, forwardTimeout: 5 })).toBe(5);
  const limit = (options: object) => receiverLimits(options).handlerTimeout;
  expect(limit({ forwardTo: one, forwardTimeout: 90_000 })).toBeGreaterThan(90_000);
  expect(limit({ forwardTo: one, forwardTimeout: 5 })).toBeGreaterThan(30_000);
  expect(limit({ handlers: "h.js" })).toBeUndefined();
});

it("entries are never given up, targets are tried at most 30 seconds apart, handlers get the usual attempts", async () => {
  const cwd = folderWith({
    "h.js": `export default (receiver) => {
      receiver.on("*", () => {});
      receiver.onUnknown(() => {});
      receiver.on("payment.*", () => {}, { attempts: 2 });
    };`,
  });
  const context = createContext(fakeIo({ cwd }).io);
  const router = new Router();
  const { handlers } = await chooseHandlers({ handlers: "h.js", forwardTo: one }, {}, context);
  handlers(router);
  const attempts = (kind: string) => router.handlers.match(kind).map((named) => named.attempts);
  expect(attempts("payment.received")).toEqual([DEFAULT_RETRY.attempts, 2, undefined]);
  const usual = DEFAULT_RETRY.attempts;
  expect(attempts("lease.signed")).toEqual([usual, usual, undefined]);
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
  ["data.id", {}, undefined],
  ["data.id", { id: null }, undefined],
  ["data.id", { id: "" }, undefined],
  ["data.id", { id: { a: 1 } }, undefined],
  ["data.id", { id: ["a"] }, undefined],
  ["data.id.more", { id: "prop_1" }, undefined],
  ["data.toString", {}, undefined],
  ["data.__proto__", {}, undefined],
  ["data.id.length", { id: "prop_1" }, undefined],
  ["nothing.there", {}, undefined],
  ["data.id", { id: "prop_1" }, "prop_1"],
  ["data.owner.id", { owner: { id: 7 } }, "7"],
  ["data.list.0", { list: ["first"] }, "first"],
  ["data.vacant", { vacant: false }, "false"],
  ["webhook.id", {}, "wh_1"],
  ["event", {}, "payment.received"],
])(
  "the order of %s of %j is that of %s: none if it is absent or not a plain value",
  (path, data, key) => {
    expect(orderByPath(path)(eventWith(data))).toBe(key);
  },
);
