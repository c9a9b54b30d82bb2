import { expect, it } from "vitest";
import { growthPlot } from "../../../../tools/bench/report/growth-plot.ts";
import { growthText } from "../../../../tools/bench/report/growth-text.ts";

const growth = [
  { what: "1 million entries", perSecond: 9000, p99: 12, ofEmpty: 0.95, p99OfEmpty: 1.1 },
  { what: "50 million entries", leftOut: "it needs 75 GB of disk, and 60 GB are free" },
];

it("a grown receiver is compared with an empty inbox, and the reason is given if it was not measured", () => {
  const text = growthText(growth);
  expect(text).toMatch(/1 million entries +\| +9 000 \| +0\.950 \| +12\.0 \| +1\.10 \|/);
  expect(text).toContain("skipped: it needs 75 GB of disk");
});

it("the plot shows only what was measured", () => {
  const image = growthPlot(growth);
  expect(image).toMatch(/>1 million<.*\n.*>entries</);
  expect(image).not.toContain("50 million");
});
