import { copyFileSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../../src/entries/index.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { storeOf } from "../../../src/inbox/shared/process-stores.ts";
import { sharedFile } from "../../../src/inbox/shared/shared-file.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryNow, inboxFile, keptLog, SECRET, until } from "../../receiver/sample.ts";
import { keep, numberedEntry, sampleRunner } from "../entries.ts";
import { connect } from "../sqlite/changed-file.ts";
import { ALWAYS, threadedInbox } from "../threaded.ts";

function receiverOf(options: Partial<ReceiverOptions>) {
  const receiver = createReceiver({ secret: SECRET, poll: 20, ...options });
  onTestFinished(() => receiver.close());
  return receiver;
}

function holders(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}-holder-`));
}

it("receivers of one process open a file once, whatever name each has for it, and each runs its own source", async () => {
  const path = inboxFile();
  symlinkSync(path, `${path}-link`);
  const ran: string[] = [];
  const sources = ["crm", "billing", "portal"];
  const receivers = sources.map((source, index) => {
    const receiver = receiverOf({ source, inbox: index === 1 ? `${path}-link` : path });
    receiver.on("*", (event) => void ran.push(event.source));
    return receiver;
  });
  await Promise.all(receivers.map((receiver) => receiver.start()));
  expect(holders(path)).toHaveLength(1);
  for (const receiver of receivers) await receiver.accept(deliveryNow());
  await until(() => expect([...ran].sort()).toEqual([...sources].sort()));

  const [first, ...others] = receivers;
  await first?.close();
  await expect(first?.inbox.list({})).rejects.toMatchObject({ code: "closed" });
  for (const receiver of others) {
    expect(await receiver.accept(deliveryNow())).toMatchObject({ type: "accepted" });
    expect(await inboxOf(receiver).list({})).toHaveLength(3 + others.indexOf(receiver) + 1);
  }
  expect(holders(path)).toHaveLength(1);
  for (const receiver of others) await receiver.close();
  expect(holders(path)).toEqual([]);
});

it("a receiver may be started again while another one keeps the file open, and while it closes", async () => {
  const path = inboxFile();
  for (let round = 0; round < 5; round++) {
    const { log, lines } = keptLog();
    const receiver = receiverOf({ inbox: path, log });
    const other = receiverOf({ inbox: path, log, source: "b" });
    await receiver.start();
    await Promise.all([receiver.close(), other.start()]);
    expect(await other.accept(deliveryNow())).toMatchObject({ type: "accepted" });
    await other.close();
    expect(lines).toEqual([]);
  }
});

it("what is wrong with the file is told to every receiver, once, and a file in its place is another inbox", async () => {
  const path = inboxFile();
  const { log, lines } = keptLog();
  const receivers = ["a", "b"].map((source) => receiverOf({ source, inbox: path, log }));
  for (const receiver of receivers) await receiver.start();
  await receivers[0]?.accept(deliveryNow());
  copyFileSync(path, `${path}-copy`);
  renameSync(`${path}-copy`, path);
  await until(() => expect(receivers.map(({ ready }) => ready)).toEqual([false, false]));
  const answers = await Promise.all(receivers.map((receiver) => receiver.accept(deliveryNow())));
  expect(answers.map(({ type }) => type)).toEqual(["unavailable", "unavailable"]);
  await until(() =>
    expect(lines.filter(({ level }) => level === "error").length).toBeGreaterThan(0),
  );
  const errors = lines.filter(({ level }) => level === "error").map(({ message }) => message);
  expect(errors).toEqual([...new Set(errors)]);
});

it("the smallest walLimit counts, and that they differ is said once", async () => {
  const path = inboxFile();
  const { log, lines } = keptLog();
  for (const [index, walLimit] of [5000, 1, 7000].entries()) {
    const receiver = receiverOf({ source: `s${index}`, inbox: path, log, walLimit });
    await receiver.start();
    await receiver.accept(deliveryNow());
  }
  const told = () => lines.filter(({ message }) => message.includes("walLimits"));
  expect(told()).toMatchObject([{ level: "warn", fields: { walLimit: 1 } }]);
});

it("a program that only looks in, or changes entries, opens the file for itself", async () => {
  const path = inboxFile();
  const receiver = receiverOf({ inbox: path });
  await receiver.start();
  await receiver.accept(deliveryNow());
  const reader = sharedFile(path);
  await reader.open({ access: "read" });
  expect(await reader.list({})).toHaveLength(1);
  await expect(keep(reader, numberedEntry(1))).rejects.toMatchObject({ code: "inbox_unavailable" });
  await reader.close();
  expect(await receiver.accept(deliveryNow())).toMatchObject({ type: "accepted" });
});

it("with a writer thread, nothing sleeps in the main thread while another process has the file locked", async () => {
  const path = inboxFile();
  const threading = { ...ALWAYS };
  const inbox = threadedInbox(path, () => {}, threading);
  await inbox.open();
  onTestFinished(() => inbox.close());
  // a lone entry is committed here
  Object.assign(threading, { fromOperations: 8, fromMilliseconds: 1000 });
  const other = connect(path);
  other.exec("BEGIN IMMEDIATE");
  // If the main thread slept, this timer would come too late, and the entry would find the file
  // locked.
  const unlock = vi.fn(() => other.exec("COMMIT"));
  setTimeout(unlock, 100);
  await keep(inbox, numberedEntry(1));
  expect(unlock).toHaveBeenCalledOnce();
});

it("an inbox can be left before it is opened, and knows its registrations, pauses and size from then on", async () => {
  const inbox = sharedFile(inboxFile());
  await expect(inbox.runners()).rejects.toMatchObject({ code: "closed" });
  await inbox.close();
  await inbox.open();
  onTestFinished(() => inbox.close());
  expect([inbox.isPaused, inbox.supportsNotify]).toEqual([false, false]);
  const runner = { id: "a", version: "1", role: "both", sources: ["crm"], kinds: ["*"] } as const;
  const end = await inbox.register(runner, Date.now());
  expect(await inbox.runners()).toContainEqual(runner);
  expect((await inbox.size()).bytes).toBeGreaterThan(0);
  await end();
  expect(await inbox.runners()).toEqual([]);
});

it("a receiver whose registration failed is not registered with those that come later", async () => {
  const store = memoryInbox();
  const register = vi.spyOn(store, "register").mockRejectedValueOnce(new Error("locked"));
  const shared = storeOf(["a store that was locked"], () => store);
  const registered = (id: string) => shared.register(sampleRunner({ id, sources: [id] }), 1);
  await expect(registered("a.1")).rejects.toThrow("locked");
  await registered("a.2");
  expect(register).toHaveBeenLastCalledWith(expect.objectContaining({ sources: ["a.2"] }), 1);
});

it("a store that nobody uses any more is forgotten", async () => {
  const made: string[] = [];
  const make = (process: string) => {
    made.push(process);
    return memoryInbox();
  };
  const first = storeOf(["one store"], make);
  const leave = await first.join({});
  expect(storeOf(["another name", "one store"], make)).toBe(first);
  await leave();
  expect(storeOf(["one store"], make)).not.toBe(first);
  expect(made).toHaveLength(2);
});
