import { beforeEach, describe, expect, it, vi } from "vitest";
import type { NamedHandler } from "../../src/dispatch/plan/handler.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { retryAtPace } from "../../src/inbox/paced-retry.ts";
import type { PauseScope } from "../../src/inbox/pause.ts";
import { until } from "../receiver/sample.ts";
import { makeRuns, openRuns, sharedInbox, storedEntry } from "./open.ts";

describe("a receiver", () => {
  let inbox: Inbox;
  let ran: string[];

  beforeEach(() => {
    inbox = sharedInbox();
    ran = [];
  });

  const runs = (name: string) => async () => void ran.push(name);
  const start = async (
    handlers: Parameters<typeof openRuns>[0] = { a: runs("a"), b: runs("b") },
    concurrency = 10,
  ) => (await openRuns(handlers, { concurrency }, inbox)).receiver;
  const add = async (number = 1) => (await inbox.append(storedEntry(number)))?.seq ?? 0;
  const pause = (scope: PauseScope, name = "") =>
    inbox.pause?.({ scope, name, since: Date.now(), who: "ann" });
  const resume = (scope: PauseScope, name = "") => inbox.resume?.({ scope, name }, Date.now());
  const untilEntry = (wanted: object) =>
    until(async () => expect(await inbox.list({})).toMatchObject([wanted]));

  it("leaves a paused handler's run for later, and runs the others once", async () => {
    await pause("handler", "b");
    await add();
    await start();
    await untilEntry({ state: "waiting", reason: "paused", finishedHandlers: ["a"], attempts: 1 });
    await resume("handler", "b");
    await untilEntry({ state: "handled" });
    expect(ran).toEqual(["a", "b"]);
  });

  it("leaves the run at a paused target for later, and tries the other target", async () => {
    const handlers: NamedHandler[] = ["one", "two"].map((name) => {
      return { name: `to ${name}`, handler: runs(name), target: { name } };
    });
    await pause("target", "one");
    await add();
    await start(handlers);
    await untilEntry({ state: "waiting", reason: "paused", finishedHandlers: ["to two"] });
    await resume("target", "one");
    await untilEntry({ state: "handled" });
    expect(ran).toEqual(["two", "one"]);
  });

  it("counts no attempt of an entry of which everything is paused", async () => {
    await pause("handler", "a");
    await pause("handler", "b");
    await add();
    await start();
    await untilEntry({ state: "waiting", reason: "paused", attempts: 0 });
  });

  it("keeps a handler that is paused waiting, although another failed for the last time", async () => {
    const handlers: readonly NamedHandler[] = [
      { name: "a", handler: () => Promise.reject(new Error("no")), attempts: 1 },
      { name: "b", handler: runs("b") },
    ];
    await pause("handler", "b");
    await add();
    await start(handlers);
    await untilEntry({ state: "waiting", reason: "paused" });
    await resume("handler", "b");
    await untilEntry({ state: "dead", reason: "attempts_exhausted", finishedHandlers: ["b"] });
  });

  it("retries a handler that failed at its own time, although another one is paused", async () => {
    const fails = vi.fn(() => Promise.reject(new Error("no")));
    await pause("handler", "b");
    await add();
    await start({ a: fails, b: runs("b") });
    await until(() => expect(fails).toHaveBeenCalledTimes(3));
    await untilEntry({ state: "waiting", reason: "paused", attempts: 3 });
  });

  it("runs no new entry at once while something is paused: only a claim knows what", async () => {
    const { deliver } = await openRuns({ a: runs("a") }, {}, inbox);
    const append = vi.spyOn(inbox, "append");
    let number = 0;
    const isReserved = async () => {
      await deliver(++number);
      return append.mock.lastCall?.[0].lease !== undefined;
    };
    await until(async () => expect(await isReserved()).toBe(true));
    await pause("kind", "another");
    await until(async () => expect(await isReserved()).toBe(false));
    await resume("kind", "another");
    await until(async () => expect(await isReserved()).toBe(true));
    await until(async () => expect(await inbox.counts()).toMatchObject({ handled: number }));
  });

  it("runs nothing out of turn, and drains nothing, that is paused", async () => {
    const receiver = await start();
    await pause("all");
    const seq = await add();
    expect(await receiver.runNow(seq)).toBeUndefined();
    expect(
      await makeRuns({ a: runs("a") }, { handlerTimeout: 1000 }, inbox).receiver.drain({
        budget: 5000,
      }),
    ).toMatchObject({ handled: 0, nextRunAt: undefined });
    await resume("all");
    expect(await receiver.runNow(seq)).toMatchObject({ state: "handled" });
  });

  /** Keeps dead letters, and retries them. */
  const retry = async (many: number, rate: number) => {
    const seqs: number[] = [];
    for (let number = 0; number < many; number++) seqs.push(await add(number));
    await inbox.drop({}, Date.now());
    return { seqs, ...(await retryAtPace(inbox, seqs, { since: Date.now(), who: "ann", rate })) };
  };
  const counts = async () => {
    const { handled, dead, waiting } = await inbox.counts();
    return { handled, dead, waiting };
  };
  const pauseOf = async (id: number) =>
    (await inbox.pauses?.())?.paused.find(({ name }) => name === String(id))?.who;

  it("stops a retry whose entries begin to fail, says where, and goes on only once it is resumed", async () => {
    let isMended = false;
    const isDown = () => ran.length >= 20 && !isMended;
    const { id, seqs } = await retry(100, 200);
    const a = () => (isDown() ? Promise.reject(new Error("down")) : runs("a")());
    await start({ a }, 1);
    await until(async () =>
      expect(await pauseOf(id)).toMatch(/^stopped at #\d+: 6 of the latest 10 failed$/),
    );
    const where = Number(/#(\d+)/.exec((await pauseOf(id)) ?? "")?.[1]);
    expect(seqs.slice(20, 30)).toContain(where);
    await until(async () =>
      expect((await counts()).handled + (await counts()).dead).toBeLessThan(40),
    );
    expect([(await counts()).handled, (await inbox.list({})).length]).toEqual([20, 100]);
    isMended = true;
    const failed = await inbox.list({ states: ["dead", "waiting", "failing"] });
    await inbox.retry(
      {
        seqs: failed.filter(({ attempts }) => attempts > 0).map(({ seq }) => seq),
        states: ["dead"],
      },
      Date.now(),
    );
    await until(async () => expect((await inbox.list({ states: ["dead"] })).length).toBe(0));
    expect(await pauseOf(id)).toMatch(/^stopped/);
    await resume("retry", String(id));
    await until(async () => expect((await counts()).handled).toBeGreaterThan(60));
  });
});
