import { describe, expect, it, onTestFinished, vi } from "vitest";
import { guardedLogger } from "../../../src/base/guarded-logger.ts";
import { VERSION } from "../../../src/base/package/version.ts";
import { createReceiver } from "../../../src/entries/index.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { Registration } from "../../../src/receiver/handlers/registration.ts";
import type { Router } from "../../../src/receiver/handlers/router.ts";
import { keptLog, SECRET } from "../sample.ts";

const NOW = Date.UTC(2024, 0, 15, 12);

function registrationIn(register: Inbox["register"]) {
  const { log, lines } = keptLog();
  const inbox = Object.assign(memoryInbox(), { register });
  let kinds: readonly string[] = ["lead.*"];
  const router = {
    get handlers() {
      return { patterns: kinds };
    },
  };
  const state = { inbox, router: router as Router };
  const settings = { source: "agency", role: "both" as const, clock: () => NOW, log };
  const registration = new Registration(settings, state);
  return { registration, lines, handle: (more: readonly string[]) => (kinds = more) };
}

describe("Registration", () => {
  it("registers the process with its source and the kinds that have handlers now", async () => {
    const register = vi.fn(async () => async () => {});
    const { registration, handle } = registrationIn(register);
    await registration.register();
    handle(["*"]);
    await registration.update();
    const { id } = registration;
    const runner = { id, version: VERSION, role: "both", sources: ["agency"] };
    expect(register.mock.calls).toEqual([
      [{ ...runner, kinds: ["lead.*"] }, NOW],
      [{ ...runner, kinds: ["*"] }, NOW],
    ]);
  });

  it("has an id of its own", () => {
    const register = async () => async () => {};
    const ids = [registrationIn(register), registrationIn(register)].map(
      ({ registration }) => registration.id,
    );
    // that of the process, and a number
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}\.\d+$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it("warns if a later update fails, and goes on", async () => {
    const { registration, lines } = registrationIn(() => Promise.reject(new Error("locked")));
    await registration.update();
    await vi.waitFor(() =>
      expect(lines).toMatchObject([
        {
          level: "warn",
          fields: { error: "locked" },
          message: "could not register with the inbox which kinds have handlers now",
        },
      ]),
    );
    await expect(registration.register()).rejects.toThrow("locked");
  });
});

describe("a receiver", () => {
  it("registers when it starts, and again when its handlers are replaced, but not before it starts", async () => {
    const register = vi.fn(async () => async () => {});
    const inbox = Object.assign(memoryInbox(), { register });
    const receiver = createReceiver({ secret: SECRET, inbox: handleOf(inbox), log: keptLog().log });
    receiver.replaceHandlers((registry) => registry.on("lead.*", () => {}));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(register).not.toHaveBeenCalled();
    await receiver.start();
    onTestFinished(() => receiver.close());
    receiver.replaceHandlers((registry) => registry.on("*", () => {}));
    await vi.waitFor(() => expect(register).toHaveBeenCalledTimes(2));
    receiver.on("lead.*", () => {});
    receiver.onUnknown(() => {});
    await vi.waitFor(() => expect(register).toHaveBeenCalledTimes(3));
    const kinds = [["lead.*"], ["*"], ["*", "lead.*", "unknown"]];
    expect(register.mock.calls).toMatchObject(
      kinds.map((kinds) => [{ kinds }, expect.any(Number)]),
    );
    await receiver.close();
    receiver.replaceHandlers(() => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(register).toHaveBeenCalledTimes(3);
  });
});

it("a receiver opens its inbox with its logger and its limit of the log", async () => {
  const inbox = memoryInbox();
  const open = vi.spyOn(inbox, "open");
  const { log } = keptLog();
  const receiver = createReceiver({
    secret: SECRET,
    inbox: handleOf(inbox),
    log,
    walLimit: 7_000_000,
  });
  await receiver.start();
  onTestFinished(() => receiver.close());
  expect(open).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ log: guardedLogger(log), walLimit: 7_000_000 }),
  );
});

it.each([
  [3, 10, 1],
  [10, 10, 0],
])(
  "with room for %i handlers in transactions of %i, it says so %i times",
  async (insideLimit, concurrency, times) => {
    const { log, lines } = keptLog();
    const inbox = Object.assign(memoryInbox(), { insideLimit, inside: vi.fn() });
    const options = { secret: SECRET, inbox: handleOf(inbox), log, concurrency };
    const receiver = createReceiver(options);
    receiver.on("lead.*", () => {}, { tx: true });
    await receiver.start();
    onTestFinished(() => receiver.close());
    const said = lines.filter(({ message }) => message.startsWith("fewer handlers with tx"));
    expect(said).toMatchObject(Array(times).fill({ fields: { places: insideLimit } }));
    expect(said).toHaveLength(times);
  },
);
