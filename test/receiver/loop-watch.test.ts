import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { blockFor } from "../../src/base/block-for.ts";
import { createReceiver } from "../../src/entries/index.ts";
import { BLOCKED, LoopWatch } from "../../src/receiver/loop-watch.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { deliveryOf, freshEnvelope, keptLog, NOW, SECRET } from "./sample.ts";

afterEach(() => void vi.restoreAllMocks());

it("a handler that blocks the event loop after it has waited is named in the log, and for how long", async () => {
  const { log, lines } = keptLog();
  const receiver = createReceiver({
    secret: SECRET,
    inbox: join(tempFolder(), "inbox.db"),
    log,
    clock: () => NOW,
  });
  receiver.on("*", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    blockFor(BLOCKED + 600);
  });
  await receiver.start();
  onTestFinished(() => receiver.close());
  await receiver.accept(deliveryOf(freshEnvelope()));
  const blocked = () => lines.filter(({ message }) => message.includes("event loop was blocked"));
  await vi.waitFor(() => expect(blocked()).toHaveLength(1), 20_000);
  const [line] = blocked();
  expect(line).toMatchObject({
    level: "warn",
    fields: { entries: expect.stringMatching(/^#1 [a-z_.]+$/) },
  });
  const { blocked: ms } = (line?.fields ?? {}) as { blocked?: number };
  expect(ms).toBeGreaterThanOrEqual(BLOCKED);
});

const timer = { unref: () => {} };

/** A watch whose looks the test makes, some milliseconds after the one before. */
function watched(running: { seq: number; kind: string | null }[] = []) {
  const { log, lines } = keptLog();
  let now = 0;
  let look = () => {};
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.spyOn(globalThis, "setInterval").mockImplementation(((called: () => void) => {
    look = called;
    return timer;
  }) as never);
  const cleared = vi.spyOn(globalThis, "clearInterval").mockReturnValue();
  const watch = new LoopWatch(log, () => running);
  watch.start();
  const lookAfter = (ms: number) => {
    now += ms;
    look();
    return lines.splice(0).map(({ fields }) => fields);
  };
  return { watch, cleared, lookAfter };
}

it("a loop that turns, if late, is not in the log", () => {
  const { lookAfter } = watched([{ seq: 1, kind: "lead.created" }]);
  expect([500, 900, BLOCKED + 499].flatMap(lookAfter)).toEqual([]);
});

it("a loop that no handler blocks is in the log without an entry", () => {
  const { lookAfter } = watched();
  expect(lookAfter(20_500)).toEqual([{ blocked: 20_000, entries: undefined }]);
});

it("entries that ran while the loop was blocked are named, at most five, whether or not they have ended", () => {
  const running = [1, 2, 3, 4, 5].map((seq) => ({ seq, kind: null }));
  const { watch, lookAfter } = watched(running);
  const ran = (seq: number, duration: number) =>
    watch.ran({ seq, kind: "lead.created" }, { records: [{ duration }] } as never);
  ran(9, BLOCKED);
  lookAfter(500);
  ran(7, 20_000);
  ran(8, 3);
  expect(lookAfter(20_500)).toMatchObject([{ entries: "#7 lead.created, #1, #2, #3, #4" }]);
});

it("nothing looks at the loop once the watch has ended", () => {
  const { watch, cleared } = watched();
  watch.stop();
  expect(cleared).toHaveBeenCalledWith(timer);
});
