import { describe, expect, it, onTestFinished } from "vitest";
import type { Incoming } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { makeReceiver, openReceiver } from "./open.ts";
import {
  bytes,
  deliveryOf,
  envelope,
  freshEnvelope,
  inboxFile,
  NOW,
  signedHeaders,
  uncaught,
  until,
  wrapInbox,
} from "./sample.ts";

/** A clock that goes wrong, and is right again. */
function breakableClock() {
  const clock = { now: NOW, fault: undefined as (() => unknown) | undefined };
  const read = () => (clock.fault === undefined ? clock.now : clock.fault()) as number;
  return Object.assign(clock, { read });
}

const FAULTS: readonly [string, () => unknown][] = [
  ["throws", fail],
  ["returns NaN", () => Number.NaN],
  ["returns a Date", () => new Date(NOW)],
  ["returns nothing", () => undefined],
  ["returns a promise that rejects", () => Promise.reject(new Error("no time"))],
];

function fail(): never {
  throw new Error("out of order");
}

/** A signed request. */
function incoming(): Incoming {
  const body = bytes(freshEnvelope());
  const target = "/webhooks";
  return {
    method: "POST",
    target,
    path: target,
    headers: signedHeaders(body),
    read: async () => body,
  };
}

async function open(inbox = inboxFile()) {
  const clock = breakableClock();
  return { ...makeReceiver({ inbox, clock: clock.read }), clock };
}

const option = expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" });

describe.each(FAULTS)("a clock that %s", (_, fault) => {
  it("makes start() fail, and later every delivery misconfigured, which is logged and not kept", async () => {
    const { receiver, clock, lines } = await open();
    clock.fault = fault;
    await expect(receiver.start()).rejects.toEqual(option);
    expect(receiver.ready).toBe(false);
    clock.fault = undefined;
    expect(await receiver.receive(incoming())).toMatchObject({ status: 503 });
    await receiver.start();
    clock.fault = fault;
    expect(await receiver.receive(incoming())).toMatchObject({ status: 500 });
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      { fields: { code: "option_invalid" }, message: expect.stringContaining("clock") },
    ]);
    const outcome = { type: "misconfigured", error: option };
    expect(await receiver.accept(deliveryOf(envelope()))).toEqual(outcome);
    const channel = { name: "stream", address: "wss://service.test/stream" };
    expect(await receiver.acceptFrom(channel, bytes(envelope()))).toEqual(outcome);
    clock.fault = undefined;
    expect(await inboxOf(receiver).list({})).toEqual([]);
    expect(await receiver.receive(incoming())).toMatchObject({ status: 200 });
  });

  it("makes accept() report misconfigured if it breaks while entries run at once", async () => {
    const { receiver, clock } = await open("memory:");
    receiver.on("*", () => {});
    await receiver.start();
    await receiver.accept(deliveryOf(freshEnvelope()));
    await until(async () => expect((await inboxOf(receiver).counts()).handled).toBe(1));
    clock.fault = fault;
    const outcome = { type: "misconfigured", error: option };
    expect(await receiver.accept(deliveryOf(freshEnvelope()))).toEqual(outcome);
  });

  it("makes accept() report misconfigured if it breaks while the delivery is kept", async () => {
    const { receiver, clock } = await open("memory:");
    await receiver.start();
    // by its end, the first look for what is due is over
    await receiver.accept(deliveryOf(freshEnvelope()));
    await until(async () => expect((await inboxOf(receiver).counts()).received).toBe(1));
    const delivery = deliveryOf(envelope());
    let reads = 0;
    clock.fault = () => (++reads === 1 ? NOW : fault());
    expect(await receiver.accept(delivery)).toEqual({ type: "misconfigured", error: option });
    expect(reads).toBeGreaterThan(1);
  });

  it("leaves no rejection uncaught if it breaks just after the start", async () => {
    const caught = uncaught();
    const { receiver, clock } = await open();
    let reads = 0;
    clock.fault = () => (++reads === 1 ? NOW : fault());
    await receiver.start();
    await until(() => expect(reads).toBeGreaterThan(3));
    expect(caught).toEqual([]);
  });

  it("delays an entry only until the clock is right again and its lease has ended", async () => {
    const { receiver, clock, lines } = await open();
    const runs: number[] = [];
    receiver.on("*", (_event, { attempt }) => {
      if (runs.push(attempt) === 1) clock.fault = fault; // breaks while the entry runs
    });
    await receiver.start();
    expect(await receiver.receive(incoming())).toMatchObject({ status: 200 });
    await until(() => expect(runs).toHaveLength(1));
    await until(() => expect(lines.some(({ level }) => level === "error")).toBe(true));
    clock.fault = undefined;
    clock.now += 60_000;
    await until(async () => expect((await inboxOf(receiver).counts()).handled).toBe(1));
  });
});

it("receive() answers, whatever the logger, an observer or the store throws", async () => {
  const log = { debug: fail, info: fail, warn: fail, error: fail };
  let damaged = false;
  const inbox = wrapInbox(memoryInbox(), { append: () => Promise.reject(new Error("no store")) });
  Object.defineProperty(inbox, "damage", { get: () => (damaged ? fail() : undefined) });
  const { receiver } = await openReceiver({ inbox: handleOf(inbox), log });
  onTestFinished(() => {
    damaged = false;
  });
  receiver.observe(fail);
  expect(await receiver.receive(incoming())).toMatchObject({ status: 503 });
  damaged = true;
  expect(await receiver.receive(incoming())).toMatchObject({ status: 500 });
  const headless = { ...incoming(), headers: undefined } as unknown as Incoming;
  expect(await receiver.receive(headless)).toMatchObject({ status: 500 });
});
