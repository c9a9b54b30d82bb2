import type { Growth } from "../sections/growth.ts";
import { plot } from "./plot.ts";

/** Throughput and p99 of grown receivers, as multiples of those with an empty inbox. */
export function growthPlot(growth: readonly Growth[]): string {
  const cases = growth.flatMap((growth) => ("leftOut" in growth ? [] : [growth]));
  const series = (name: string, ours: boolean, of: (one: (typeof cases)[number]) => number) => ({
    name,
    ours,
    apart: true,
    points: cases.map((one, x) => ({ x, y: of(one) })),
  });
  return plot(
    [
      series("deliveries per second", true, ({ ofEmpty }) => ofEmpty),
      series("latency, p99", false, ({ p99OfEmpty }) => p99OfEmpty),
    ],
    {
      title: "Grown receivers compared with an empty inbox (600 bytes, 64 connections)",
      x: "what the receiver has",
      y: "× empty inbox",
      marks: cases.map(({ what }, at) => ({ at, text: inTwoLines(what) })),
      unit: " ×",
      logarithmicY: true,
    },
  );
}

/** A text, broken at the space that is nearest to its middle. */
function inTwoLines(text: string): string {
  const middle = text.length / 2;
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index);
  const at = spaces.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  return at === undefined ? text : `${text.slice(0, at)}\n${text.slice(at + 1)}`;
}
