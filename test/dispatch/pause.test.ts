import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Dispatcher } from "../../src/dispatch/dispatcher.ts";
import type { DispatcherOptions } from "../../src/dispatch/dispatcher-options.ts";
import type { NamedHandler } from "../../src/dispatch/handler.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { retryAtPace } from "../../src/inbox/paced-retry.ts";
import type { PauseScope } from "../../src/inbox/pause.ts";
import { keep, sampleDelivery, sampleEntry, sampleKey } from "../inbox/entries.ts";
import { keptLog, planOf, QUICK, sampleEvent } from "./sample.ts";

describe("a dispatcher", () => {
  let inbox: Inbox;
  let log: ReturnType<typeof keptLog>;
  let ran: string[];
  const dispatchers: Dispatcher[] = [];

  beforeEach(() => {
    inbox = memoryInbox();
    log = keptLog();
    ran = [];
  });

  afterEach(async () => {
    for (const dispatcher of dispatchers.splice(0)) await dispatcher.stop(0);
  });

  const runs = (name: string) => async () => void ran.push(name);
  const open = (options: Partial<DispatcherOptions> = {}) => {
    const dispatcher = new Dispatcher({
      inbox,
      log,
      runner: "0a",
      sources: ["service"],
      plan: planOf({ a: runs("a"), b: runs("b") }),
      retry: QUICK,
      concurrency: 10,
      handlerTimeout: 1000,
      leaseTime: 1000,
      poll: 5,
      deadBlocks: false,
      clock: () => Date.now(),
      random: () => 0,
      onAttempts: () => {},
      onDead: () => {},
      ...options,
    });
    dispatchers.push(dispatcher);
    return dispatcher;
  };
  const start = (options?: Partial<DispatcherOptions>) => {
    const dispatcher = open(options);
    dispatcher.start();
    return dispatcher;
  };
  const add = async (number = 1) => {
    const delivery = sampleDelivery({ receivedAt: Date.now() });
    const entry = sampleEntry({ key: sampleKey({ eventId: `evt_${number}` }), delivery });
    return (await keep(inbox, entry)).seq;
  };
  const pause = (scope: PauseScope, name = "") =>
    inbox.pause?.({ scope, name, since: Date.now(), who: "ann" });
  const resume = (scope: PauseScope, name = "") => inbox.resume?.({ scope, name }, Date.now());
  const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 5 });
  const untilEntry = (wanted: object) =>
    until(async () => expect(await inbox.list({})).toMatchObject([wanted]));

  it("leaves a paused handler's run for later, and runs the others once", async () => {
    await pause("handler", "b");
    await add();
    start();
    await untilEntry({ state: "waiting", reason: "paused", finishedHandlers: ["a"], attempts: 1 });
    await resume("handler", "b");
    await untilEntry({ state: "handled" });
    expect(ran).toEqual(["a", "b"]);
  });

  it("leaves the run at a paused target for later, and tries the other target", async () => {
    const handlers: NamedHandler[] = ["one", "two"].map((name) => {
      return { name: `to ${name}`, handler: runs(name), target: { name } };
    });
    const plan = async () => ({ run: handlers, event: async () => sampleEvent() });
    await pause("target", "one");
    await add();
    start({ plan });
    await untilEntry({ state: "waiting", reason: "paused", finishedHandlers: ["to two"] });
    await resume("target", "one");
    await untilEntry({ state: "handled" });
    expect(ran).toEqual(["two", "one"]);
  });

  it("counts no attempt of an entry of which everything is paused", async () => {
    await pause("handler", "a");
    await pause("handler", "b");
    await add();
    start();
    await untilEntry({ state: "waiting", reason: "paused", attempts: 0 });
  });

  it("keeps a handler that is paused waiting, although another failed for the last time", async () => {
    const fails = () => Promise.reject(new Error("no"));
    const [a] = ((await planOf({ a: fails })()) as { run: readonly NamedHandler[] }).run;
    if (a === undefined) throw new Error("expected a handler");
    const handlers = [
      { ...a, attempts: 1 },
      { name: "b", handler: runs("b") },
    ];
    await pause("handler", "b");
    await add();
    start({ plan: async () => ({ run: handlers, event: async () => sampleEvent() }) });
    await untilEntry({ state: "waiting", reason: "paused" });
    await resume("handler", "b");
    await untilEntry({ state: "dead", reason: "attempts_exhausted", finishedHandlers: ["b"] });
  });

  it("runs no new entry at once while something is paused: only a claim knows what", async () => {
    const dispatcher = start();
    const reserved = () => dispatcher.reserve()?.release() === false;
    await until(() => expect(reserved()).toBe(true));
    await pause("kind", "another");
    await until(() => expect(reserved()).toBe(false));
    await add();
    await untilEntry({ state: "handled" });
    await resume("kind", "another");
    await until(() => expect(reserved()).toBe(true));
  });

  it("runs nothing out of turn, and drains nothing, that is paused", async () => {
    const dispatcher = start();
    await pause("all");
    const seq = await add();
    expect(await dispatcher.runNow(seq)).toBeUndefined();
    expect(await open().drain(5000)).toMatchObject({ handled: 0, nextRunAt: undefined });
    await resume("all");
    expect(await dispatcher.runNow(seq)).toMatchObject({ state: "handled" });
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
    const plan = planOf({ a: () => (isDown() ? Promise.reject(new Error("down")) : runs("a")()) });
    const { id, seqs } = await retry(100, 200);
    start({ plan, concurrency: 1 });
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
      { seqs: failed.filter(({ attempts }) => attempts > 0).map(({ seq }) => seq) },
      Date.now(),
    );
    await until(async () => expect((await inbox.list({ states: ["dead"] })).length).toBe(0));
    expect(await pauseOf(id)).toMatch(/^stopped/);
    await resume("retry", String(id));
    await until(async () => expect((await counts()).handled).toBeGreaterThan(60));
  });
});
