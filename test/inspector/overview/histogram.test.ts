import { expect, it } from "vitest";
import { FINE_BOUNDS, Histogram } from "../../../src/inspector/overview/histogram.ts";

it("a duration counts in the first bucket that can hold it, else in the last", () => {
  const histogram = new Histogram([1, 10]);
  for (const duration of [0, 1, 1.01, 10, 11, 1e9]) histogram.add(duration);
  expect(histogram.buckets).toEqual([
    { upTo: 1, count: 2 },
    { upTo: 10, count: 2 },
    { upTo: null, count: 2 },
  ]);
  expect([histogram.total, histogram.longest]).toEqual([6, 1e9]);
});

it("quantiles are estimated to a quarter, and never above the longest duration", () => {
  const histogram = new Histogram(FINE_BOUNDS);
  for (let duration = 1; duration <= 1000; duration++) histogram.add(duration);
  expect(histogram.quantile(0.5) / 500).toBeGreaterThan(0.99);
  expect(histogram.quantile(0.5) / 500).toBeLessThan(1.26);
  expect(histogram.quantile(1)).toBe(1000);
  expect(new Histogram(FINE_BOUNDS).quantile(0.5)).toBe(0);
});
