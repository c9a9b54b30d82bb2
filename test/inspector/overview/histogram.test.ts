import { expect, it } from "vitest";
import { Histogram } from "../../../src/inspector/overview/meter.ts";

it("quantiles are estimated to a quarter, and never above the longest duration", () => {
  const histogram = new Histogram();
  for (let duration = 1; duration <= 1000; duration++) histogram.add(duration);
  const { count, median, p95, longest } = histogram.read();
  expect([count, longest]).toEqual([1000, 1000]);
  for (const ratio of [median / 500, p95 / 950]) {
    expect(ratio).toBeGreaterThan(0.99);
    expect(ratio).toBeLessThan(1.26);
  }
  expect(new Histogram().read()).toEqual({ count: 0, median: 0, p95: 0, longest: 0 });
});

it("a duration above all bounds counts, and is the longest", () => {
  const histogram = new Histogram();
  for (const duration of [0, 1e9, 1e9]) histogram.add(duration);
  expect(histogram.read()).toEqual({ count: 3, median: 1e9, p95: 1e9, longest: 1e9 });
});
