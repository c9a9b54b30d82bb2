import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Receiver } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { postTo } from "../observe/posting.ts";
import { openReceiver } from "./open.ts";
import { freshEnvelope, gate, keepWarnings, uncaught, until } from "./sample.ts";

const KIND = "payment.received";

function fail(): never {
  throw new Error("mine");
}
const reject = () => Promise.reject(new Error("mine"));

const warnings = keepWarnings();

describe("a logger that throws already while a receiver starts", () => {
  it("keeps no receiver from starting, on a new file and with a short secret", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-new-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log = { debug: fail, info: fail, warn: fail, error: fail };
    const { receiver } = await openReceiver({
      inbox: join(folder, "new.db"),
      secret: "short",
      log,
    });
    expect(receiver.ready).toBe(true);
    expect(warnings).toHaveLength(1);
  });
});

describe.each([
  ["a sound logger", undefined],
  ["a logger that throws", { debug: fail, info: fail, warn: fail, error: fail }],
  ["a logger that rejects", { debug: reject, info: reject, warn: reject, error: reject }],
])("a store that fails for a while, with %s", (_, log) => {
  /** An inbox of which some methods fail twice, and the last of them. */
  function failingTwice(...methods: readonly ("append" | "claim" | "renew" | "prune")[]) {
    const inbox = memoryInbox();
    const calls = methods.map((method) => {
      const call = vi.spyOn(inbox, method as "append");
      for (let time = 0; time < 2; time++) call.mockRejectedValueOnce(new Error("no store"));
      return call;
    });
    return { inbox, call: calls.at(-1) as (typeof calls)[number] };
  }
  const open = (inbox: Inbox) =>
    openReceiver({ inbox: handleOf(inbox), ...(log && { log: log as never }), lease: 60 });

  const post = async (receiver: Receiver) => (await postTo(receiver)(freshEnvelope())).status;

  it("answers 503 twice while nothing can be kept, and runs everything once claims succeed again", async () => {
    const caught = uncaught();
    const { inbox } = failingTwice("append", "claim");
    const { receiver, entries } = await open(inbox);
    receiver.on(KIND, () => {});
    expect([await post(receiver), await post(receiver)]).toEqual([503, 503]);
    expect(receiver.refusing).toBe("inbox_unavailable");
    expect([await post(receiver), await post(receiver)]).toEqual([200, 200]);
    await until(async () => {
      expect((await entries()).map(({ state }) => state)).toEqual(["handled", "handled"]);
    });
    expect({ ready: receiver.ready, caught }).toEqual({ ready: true, caught: [] });
  });

  it("goes on if leases cannot be renewed", async () => {
    const caught = uncaught();
    const { inbox, call } = failingTwice("renew");
    const { receiver, untilState } = await open(inbox);
    const held = gate();
    receiver.on(KIND, () => held.opened);
    expect(await post(receiver)).toBe(200);
    await until(() => expect(call.mock.calls.length).toBeGreaterThan(1));
    held.open();
    await untilState("handled");
    expect({ ready: receiver.ready, caught }).toEqual({ ready: true, caught: [] });
  });

  it("goes on if entries cannot be pruned", async () => {
    const caught = uncaught();
    const { inbox, call } = failingTwice("prune");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver } = await open(inbox);
    await vi.advanceTimersByTimeAsync(6000);
    vi.useRealTimers();
    await until(() => expect(call).toHaveBeenCalledOnce());
    await sleep(5);
    expect({ ready: receiver.ready, caught }).toEqual({ ready: true, caught: [] });
  });
});
