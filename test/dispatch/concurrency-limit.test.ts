import { describe, expect, it, vi } from "vitest";
import { ConcurrencyLimit } from "../../src/dispatch/concurrency-limit.ts";
import { gate } from "./sample.ts";

/** Work that ends when it is told to. */
function held() {
  const { opened, open } = gate();
  return { work: () => opened.then(() => "ran"), end: open };
}

describe("ConcurrencyLimit", () => {
  it("run so many at a time, the others in turn", async () => {
    const limit = new ConcurrencyLimit(2);
    const log: number[] = [];
    const all = [1, 2, 3, 4].map((number) => {
      const { work, end } = held();
      const run = limit.run(() => {
        log.push(number);
        return work();
      });
      return { run, end };
    });
    await vi.waitFor(() => expect(log).toEqual([1, 2]));
    expect(limit.running).toBe(2);
    all[1]?.end();
    await all[1]?.run;
    await vi.waitFor(() => expect(log).toEqual([1, 2, 3]));
    for (const { end } of all) end();
    expect(await Promise.all(all.map(({ run }) => run))).toEqual(["ran", "ran", "ran", "ran"]);
    expect(limit.running).toBe(0);
  });

  it("want nothing in line before they know how long a run takes", () => {
    expect(new ConcurrencyLimit(3).room).toEqual({ now: 3, ahead: 0 });
  });

  it("want more in line the faster runs are, up to 200", async () => {
    const limit = new ConcurrencyLimit(3);
    for (let run = 0; run < 50; run++) await limit.run(async () => undefined);
    expect(limit.room).toEqual({ now: 3, ahead: 200 });
  });

  it("want nothing in line of what takes long", async () => {
    const limit = new ConcurrencyLimit(1);
    await limit.run(() => new Promise((resolve) => setTimeout(resolve, 130)));
    expect(limit.room).toEqual({ now: 1, ahead: 0 });
  });

  it("weigh the latest run by a tenth, so that one slow or quick run changes little", async () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    try {
      const limit = new ConcurrencyLimit(1);
      const ahead: number[] = [];
      for (const ms of [10, 20, 0.5, 100]) {
        await limit.run(async () => {
          now += ms;
        });
        ahead.push(limit.room.ahead);
      }
      // The averages are 10, 11, 9.95 and 18.955 ms.
      expect(ahead).toEqual([10, 9, 10, 5]);
    } finally {
      clock.mockRestore();
    }
  });

  it("count what stands in line already", async () => {
    const limit = new ConcurrencyLimit(1);
    for (let run = 0; run < 50; run++) await limit.run(async () => undefined);
    const { work, end } = held();
    const runs = [limit.run(work), limit.run(work), limit.run(work)];
    expect(limit.room).toEqual({ now: 0, ahead: 198 });
    end();
    await Promise.all(runs);
  });

  it("keep room for what is to come: of what may run, then of what may stand in line", async () => {
    const limit = new ConcurrencyLimit(2);
    for (let run = 0; run < 50; run++) await limit.run(async () => undefined);
    const rooms = [limit.reserve(), limit.reserve(), limit.reserve()];
    expect(limit.room).toEqual({ now: 0, ahead: 199 });
    rooms[0]?.();
    expect(limit.room).toEqual({ now: 0, ahead: 200 });
    rooms[1]?.();
    rooms[2]?.();
    expect(limit.room).toEqual({ now: 2, ahead: 200 });
  });

  it("let what has begun end when they are closed, and nothing else begin", async () => {
    const limit = new ConcurrencyLimit(1);
    const { work, end } = held();
    const begun = limit.run(work);
    const inLine = limit.run(work);
    limit.close();
    expect(await inLine).toBeUndefined();
    expect(await limit.run(work)).toBeUndefined();
    end();
    expect(await begun).toBe("ran");
  });

  it("let through at once what may not wait, and the others a little later", async () => {
    const limit = new ConcurrencyLimit(1);
    const [first, now, last] = [held(), held(), held()];
    const runs = [limit.run(first.work), limit.run(last.work), limit.runAtOnce(now.work)];
    expect(limit.running).toBe(2);
    expect(limit.room).toEqual({ now: 0, ahead: 0 });
    first.end();
    await runs[0];
    expect(limit.running).toBe(1);
    now.end();
    last.end();
    expect(await Promise.all(runs)).toEqual(["ran", "ran", "ran"]);
    expect(limit.running).toBe(0);
  });

  it("are free again after work that failed", async () => {
    const limit = new ConcurrencyLimit(1);
    await expect(limit.run(() => Promise.reject(new Error("no")))).rejects.toThrow();
    expect(limit.running).toBe(0);
  });
});
