import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { transactionPlaces } from "../../src/dispatch/attempts/transaction-places.ts";

const never = new AbortController().signal;

describe("the places for transactions", () => {
  it("are taken up to the limit, and go to those that wait, in order", async () => {
    const places = transactionPlaces(2);
    expect([places.take(), places.take(), places.take()]).toEqual([true, true, false]);
    const order: string[] = [];
    const first = places.wait(never).then((entered) => order.push(`first ${entered}`));
    const second = places.wait(never).then((entered) => order.push(`second ${entered}`));
    places.leave(1);
    await first;
    expect(order).toEqual(["first true"]);
    places.leave(1);
    await second;
    expect(places.take()).toBe(false);
    places.leave(1);
    expect(places.take()).toBe(true);
  });

  it("are unlimited if the inbox sets no limit", () => {
    const places = transactionPlaces();
    for (let many = 0; many < 1000; many++) expect(places.take()).toBe(true);
  });

  it("are crowded once a second of work waits, and never before as many wait as there are places", () => {
    const places = transactionPlaces(2);
    places.take();
    places.take();
    places.leave(100);
    places.take();
    const queue = (many: number) => {
      for (let number = 0; number < many; number++) void places.wait(never);
    };
    queue(2);
    expect(places.isCrowded()).toBe(false); // 2 places × 1 s / 100 ms = 20
    queue(18);
    expect(places.isCrowded()).toBe(true);
    const slow = transactionPlaces(2);
    slow.take();
    slow.leave(10_000);
    expect(slow.isCrowded()).toBe(false);
  });

  it("spread what is given back over the time that its work takes, within a minute", () => {
    const places = transactionPlaces(2);
    places.take();
    places.leave(1000);
    expect([places.dueAt(5000), places.dueAt(5000), places.dueAt(5000)]).toEqual([
      6000, 6500, 7000,
    ]);
    for (let many = 0; many < 1000; many++) expect(places.dueAt(5000)).toBeLessThanOrEqual(65_000);
    expect(places.dueAt(100_000)).toBe(101_000);
  });

  it("refuse those that wait when they are closed, or when their signal is aborted", async () => {
    const places = transactionPlaces(1);
    places.take();
    const aborter = new AbortController();
    const aborted = places.wait(aborter.signal);
    const closed = places.wait(never);
    aborter.abort();
    expect(await aborted).toBe(false);
    places.close();
    expect(await closed).toBe(false);
    expect(await places.wait(never)).toBe(false);
    places.leave(1);
    expect(places.take()).toBe(true); // nothing was lost
  });

  it("do not go to one that has given up waiting", async () => {
    const places = transactionPlaces(1);
    places.take();
    const aborter = new AbortController();
    const gaveUp = places.wait(aborter.signal);
    const next = places.wait(never);
    aborter.abort();
    places.leave(1);
    expect([await gaveUp, await next, places.take()]).toEqual([false, true, false]);
    places.leave(1);
    expect(places.take()).toBe(true);
  });

  it("are given at once to one that asks to wait while one is free, and leave no listener behind", async () => {
    const places = transactionPlaces(1);
    const { signal } = new AbortController();
    expect(await places.wait(signal)).toBe(true);
    const next = places.wait(signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    places.leave(1);
    expect(await next).toBe(true);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
