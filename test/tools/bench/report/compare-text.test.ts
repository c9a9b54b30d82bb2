import { expect, it } from "vitest";
import { compareText } from "../../../../tools/bench/report/compare-text.ts";
import { emptyReport, roundsOf } from "../results.ts";

it("runs on several Nodes are shown side by side, each compared with its own peers", () => {
  const on = (node: string, rates: readonly number[]) => ({
    ...emptyReport(node),
    loads: [
      roundsOf("hookporter node", { rates, connections: 64 }),
      roundsOf("octokit", { rates: [1000, 2000], connections: 64 }),
    ],
  });
  const text = compareText([
    on("v20.20.2", [1000, 2000]),
    on("v24.1.0 --max-semi-space-size=32", [1500, 3000]),
  ]);
  expect(text).toContain("v24.1.0 --max-semi-space-size=32");
  expect(text).toMatch(/node adapter × octokit +\| +1\.00 \| +1\.50 \|/);
});

it("rows that no run measured are omitted", () => {
  expect(compareText([emptyReport()])).not.toContain("×");
});
