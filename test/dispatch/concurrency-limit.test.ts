import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ConcurrencyLimit } from "../../src/dispatch/runs/concurrency-limit.ts";
import { gate } from "./sample.ts";

/** Work that ends on request. */
function held() {
  const { opened, open } = gate();
  return { work: () => opened.then(() => "ran"), end: open };
}

/** A clock that stands still until it is moved, so that a busy machine makes no run longer. */
function stillClock() {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return { move: (ms: number) => (now += ms) };
}

/** A limit that has seen quick runs only. */
async function afterQuickRuns(slots: number) {
  stillClock();
  const limit = new ConcurrencyLimit(slots);
  for (let run = 0; run < 50; run++) await limit.run(async () => undefined);
  return limit;
}

describe("ConcurrencyLimit", () => {
  it("runs at most its number of entries at a time, the others in turn", async () => {
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

  it("queues nothing before it knows how long a run takes", () => {
    expect(new ConcurrencyLimit(3).room).toEqual({ now: 3, ahead: 0 });
  });

  it("queues more the faster runs are, up to 200", async () => {
    const limit = await afterQuickRuns(3);
    expect(limit.room).toEqual({ now: 3, ahead: 200 });
  });

  it("queues nothing if runs take long", async () => {
    const limit = new ConcurrencyLimit(1);
    await limit.run(() => new Promise((resolve) => setTimeout(resolve, 130)));
    expect(limit.room).toEqual({ now: 1, ahead: 0 });
  });

  it("weighs the latest run by a tenth, so that one slow or quick run changes little", async () => {
    const clock = stillClock();
    const limit = new ConcurrencyLimit(1);
    const ahead: number[] = [];
    for (const ms of [10, 20, 0.5, 100]) {
      await limit.run(async () => clock.move(ms));
      ahead.push(limit.room.ahead);
    }
    // The averages are 10, 11, 9.95 and 18.955 ms.
    expect(ahead).toEqual([10, 9, 10, 5]);
  });

  it("counts what is already queued", async () => {
    const limit = await afterQuickRuns(1);
    const { work, end } = held();
    const runs = [limit.run(work), limit.run(work), limit.run(work)];
    expect(limit.room).toEqual({ now: 0, ahead: 198 });
    end();
    await Promise.all(runs);
  });

  it("reserves running slots first, then queue slots", async () => {
    const limit = await afterQuickRuns(2);
    const rooms = [limit.reserve(), limit.reserve(), limit.reserve()];
    expect(limit.room).toEqual({ now: 0, ahead: 199 });
    rooms[0]?.();
    expect(limit.room).toEqual({ now: 0, ahead: 200 });
    rooms[1]?.();
    rooms[2]?.();
    expect(limit.room).toEqual({ now: 2, ahead: 200 });
  });

  it("lets started runs end when it is closed, and starts no others", async () => {
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

  it("starts urgent runs at once, and the others a little later", async () => {
    const limit = new ConcurrencyLimit(1);
    const first = held();
    const now = held();
    const last = held();
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

  it("frees the slot of a run that failed", async () => {
    const limit = new ConcurrencyLimit(1);
    await expect(limit.run(() => Promise.reject(new Error("no")))).rejects.toThrow();
    expect(limit.running).toBe(0);
  });
});
