import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  type AnyProvider,
  type ChildProcessSide,
  runChild,
} from "../../../src/relay/tunnel/child.ts";

const OPEN = {
  type: "open",
  provider: "one",
  settings: { a: 1 },
  target: { host: "127.0.0.1", port: 9 },
};

/** The child's code, with a test as its parent. */
function run(open: AnyProvider["open"]) {
  const told: unknown[] = [];
  const exit = vi.fn();
  const parent = Object.assign(new EventEmitter(), {
    connected: true,
    send: (message: unknown) => told.push(message),
  });
  runChild(parent as unknown as ChildProcessSide, exit, {
    one: async () => ({ name: "one", open }),
  });
  return { parent, told, exit };
}

it("the child opens the requested tunnel and passes reports on", async () => {
  const open = vi.fn(async (_settings: never, _target: unknown, report) => {
    report.up("https://one.test");
    report.down("cut");
    return { close: async () => {} };
  });
  const { parent, told } = run(open);
  parent.emit("message", OPEN);
  await vi.waitFor(() => expect(told).toHaveLength(2));
  expect(told).toEqual([
    { type: "up", url: "https://one.test" },
    { type: "down", reason: "cut" },
  ]);
  expect(open).toHaveBeenCalledWith({ a: 1 }, OPEN.target, expect.anything());
});

it("the child reports failures of the provider and around it, and survives", async () => {
  const { parent, told, exit } = run(async () => {
    throw new Error("broken");
  });
  parent.emit("message", OPEN);
  parent.emit("message", { ...OPEN, provider: "constructor" });
  parent.emit("uncaughtException", new Error("stray"));
  parent.emit("unhandledRejection", undefined);
  await vi.waitFor(() => expect(told).toHaveLength(4));
  for (const message of told) {
    expect(message).toMatchObject({
      type: "failed",
      failure: { code: "provider_crashed", permanent: false },
    });
  }
  expect(exit).not.toHaveBeenCalled();
});

it.each(["close", "disconnect"])("the child closes its tunnel and ends at %s", async (how) => {
  const close = vi.fn(async () => {});
  const { parent, exit, told } = run(async (_settings, _target, report) => {
    report.up("https://one.test");
    return { close };
  });
  parent.emit("message", OPEN);
  await vi.waitFor(() => expect(told).toHaveLength(1));
  await new Promise(setImmediate);
  if (how === "close") parent.emit("message", { type: "close" });
  else parent.emit("disconnect");
  await vi.waitFor(() => expect(exit).toHaveBeenCalled());
  expect(close).toHaveBeenCalledOnce();
});

it("the child ends although its tunnel never closes, and at once while it is still opening", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { parent, exit } = run(async () => ({ close: () => new Promise(() => {}) }));
  parent.emit("message", OPEN);
  await vi.advanceTimersByTimeAsync(1);
  parent.emit("disconnect");
  await vi.advanceTimersByTimeAsync(900);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(exit).toHaveBeenCalled();
  const opening = run(() => new Promise(() => {}));
  opening.parent.emit("message", OPEN);
  opening.parent.emit("message", { type: "close" });
  await vi.advanceTimersByTimeAsync(500);
  expect(opening.exit).toHaveBeenCalled();
});

it("the child leaves signals to its parent, and ends without one", () => {
  const { parent, exit } = run(async () => ({ close: async () => {} }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) expect(parent.emit(signal)).toBe(true);
  expect(exit).not.toHaveBeenCalled();
  const alone = Object.assign(new EventEmitter(), { connected: false });
  runChild(alone as unknown as ChildProcessSide, exit);
  expect(exit).toHaveBeenCalled();
});
