import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { createReceiver } from "../../src/receiver/create-receiver.ts";
import { Registration } from "../../src/receiver/registration.ts";
import { VERSION } from "../../src/version.ts";
import { keptLog, SECRET } from "./sample.ts";

function registrationIn(register?: () => Promise<void>) {
  const { log, lines } = keptLog();
  const inbox = Object.assign(memoryInbox(), register === undefined ? {} : { register });
  let kinds: readonly string[] = ["lead.*"];
  const registration = new Registration({ inbox, source: "agency", log }, () => kinds);
  return { registration, lines, handle: (more: readonly string[]) => (kinds = more) };
}

describe("Registration", () => {
  it("registers the process with its source and the kinds that have handlers now", async () => {
    const register = vi.fn(async () => {});
    const { registration, handle } = registrationIn(register);
    await registration.register();
    handle(["*"]);
    registration.update();
    const { id } = registration;
    const runner = { id, version: VERSION, role: "both", sources: ["agency"] };
    expect(register.mock.calls).toEqual([[{ ...runner, kinds: ["lead.*"] }], [{ ...runner, kinds: ["*"] }]]);
  });

  it("has an id of its own", () => {
    const ids = [registrationIn(), registrationIn()].map(({ registration }) => registration.id);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it("is not needed by an inbox of one process", async () => {
    const { registration, lines } = registrationIn();
    await registration.register();
    registration.update();
    expect(lines).toEqual([]);
  });

  it("warns if a later update fails, and goes on", async () => {
    const { registration, lines } = registrationIn(() => Promise.reject(new Error("locked")));
    registration.update();
    await vi.waitFor(() => expect(lines).toMatchObject([{ level: "warn", fields: { error: "locked" } }]));
    await expect(registration.register()).rejects.toThrow("locked");
  });
});

describe("a receiver", () => {
  it("registers when it starts, and again when its handlers are replaced, but not before it starts", async () => {
    const register = vi.fn(async () => {});
    const inbox = Object.assign(memoryInbox(), { register });
    const receiver = createReceiver({ secret: SECRET, inbox, log: keptLog().log });
    receiver.replaceHandlers((registry) => registry.on("lead.*", () => {}));
    expect(register).not.toHaveBeenCalled();
    await receiver.start();
    onTestFinished(() => receiver.close());
    receiver.replaceHandlers((registry) => registry.on("*", () => {}));
    expect(register.mock.calls).toMatchObject([[{ kinds: ["lead.*"] }], [{ kinds: ["*"] }]]);
    await receiver.close();
    receiver.replaceHandlers(() => {});
    expect(register).toHaveBeenCalledTimes(2);
  });
});

it("a receiver opens its inbox with its logger and its limit of the log", async () => {
  const inbox = memoryInbox();
  const open = vi.spyOn(inbox, "open");
  const { log } = keptLog();
  const receiver = createReceiver({ secret: SECRET, inbox, log, walLimit: 7_000_000 });
  await receiver.start();
  onTestFinished(() => receiver.close());
  expect(open).toHaveBeenCalledExactlyOnceWith({ log, walLimit: 7_000_000 });
});
