import { describe, expect, it, vi } from "vitest";
import { Slots } from "../../src/dispatch/slots.ts";
import { gate } from "./sample.ts";

/** Work that ends when it is told to. */
function held() {
  const { opened, open } = gate();
  return { work: () => opened.then(() => "ran"), end: open };
}

describe("Slots", () => {
  it("run so many at a time, the others in turn", async () => {
    const slots = new Slots(2);
    const log: number[] = [];
    const all = [1, 2, 3, 4].map((number) => {
      const { work, end } = held();
      const run = slots.run(() => {
        log.push(number);
        return work();
      });
      return { run, end };
    });
    await vi.waitFor(() => expect(log).toEqual([1, 2]));
    expect(slots.taken).toBe(2);
    all[1]?.end();
    await all[1]?.run;
    await vi.waitFor(() => expect(log).toEqual([1, 2, 3]));
    for (const { end } of all) end();
    expect(await Promise.all(all.map(({ run }) => run))).toEqual(["ran", "ran", "ran", "ran"]);
    expect(slots.taken).toBe(0);
  });

  it("want nothing in line before they know how long a run takes", () => {
    expect(new Slots(3).free).toEqual({ now: 3, ahead: 0 });
  });

  it("want more in line the faster runs are, up to 200", async () => {
    const slots = new Slots(3);
    for (let run = 0; run < 50; run++) await slots.run(async () => undefined);
    expect(slots.free).toEqual({ now: 3, ahead: 200 });
  });

  it("want nothing in line of what takes long", async () => {
    const slots = new Slots(1);
    await slots.run(() => new Promise((resolve) => setTimeout(resolve, 130)));
    expect(slots.free).toEqual({ now: 1, ahead: 0 });
  });

  it("count what stands in line already", async () => {
    const slots = new Slots(1);
    for (let run = 0; run < 50; run++) await slots.run(async () => undefined);
    const { work, end } = held();
    const runs = [slots.run(work), slots.run(work), slots.run(work)];
    expect(slots.free).toEqual({ now: 0, ahead: 198 });
    end();
    await Promise.all(runs);
  });

  it("keep room for what is to come: of what may run, then of what may stand in line", async () => {
    const slots = new Slots(2);
    for (let run = 0; run < 50; run++) await slots.run(async () => undefined);
    const rooms = [slots.reserve(), slots.reserve(), slots.reserve()];
    expect(slots.free).toEqual({ now: 0, ahead: 199 });
    rooms[0]?.();
    expect(slots.free).toEqual({ now: 0, ahead: 200 });
    rooms[1]?.();
    rooms[2]?.();
    expect(slots.free).toEqual({ now: 2, ahead: 200 });
  });

  it("let what has begun end when they are closed, and nothing else begin", async () => {
    const slots = new Slots(1);
    const { work, end } = held();
    const begun = slots.run(work);
    const inLine = slots.run(work);
    slots.close();
    expect(await inLine).toBeUndefined();
    expect(await slots.run(work)).toBeUndefined();
    end();
    expect(await begun).toBe("ran");
  });

  it("let through at once what may not wait, and the others a little later", async () => {
    const slots = new Slots(1);
    const [first, now, last] = [held(), held(), held()];
    const runs = [slots.run(first.work), slots.run(last.work), slots.runAtOnce(now.work)];
    expect(slots.taken).toBe(2);
    expect(slots.free).toEqual({ now: 0, ahead: 0 });
    first.end();
    await runs[0];
    expect(slots.taken).toBe(1);
    now.end();
    last.end();
    expect(await Promise.all(runs)).toEqual(["ran", "ran", "ran"]);
    expect(slots.taken).toBe(0);
  });

  it("are free again after work that failed", async () => {
    const slots = new Slots(1);
    await expect(slots.run(() => Promise.reject(new Error("no")))).rejects.toThrow();
    expect(slots.taken).toBe(0);
  });
});
