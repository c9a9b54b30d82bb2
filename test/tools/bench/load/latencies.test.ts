import { describe, expect, it } from "vitest";
import { Latencies } from "../../../../tools/bench/load/latencies.ts";

describe("latencies of a load", () => {
  it("are told apart below a millisecond, which a lone delivery takes", () => {
    const latencies = new Latencies();
    for (let index = 1; index <= 100; index++) latencies.note(index / 1000);
    latencies.note(250);
    expect(latencies.summary.p50).toBeCloseTo(0.051, 3);
    expect(latencies.summary.p99).toBeCloseTo(0.1, 2);
    expect(latencies.summary.max).toBeCloseTo(250, 0);
  });

  it("are never zero, of which there is no logarithm", () => {
    const latencies = new Latencies();
    latencies.note(0.0001);
    expect(latencies.summary.p50).toBe(0.001);
  });
});
