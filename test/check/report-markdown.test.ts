import { expect, it } from "vitest";
import { markdownReport } from "../../src/check/report-markdown.ts";
import { reportOf, result } from "./sample.ts";

const whole = (results: ReturnType<typeof result>[], stopped: string | null = null) => {
  const responseTimes = { median: 4, slowest: 12_300, slowestCase: "DUP-03" };
  const diagnosis = stopped === null ? [] : ["one cause"];
  return reportOf(results, { responseTimes, diagnosis, stopped });
};

it("a run without failures is one heading and one line", () => {
  expect(markdownReport(whole([result()]), false)).toBe(
    "### ✅ hookporter check: 1 of 1 cases passed\n\n`http://127.0.0.1:3000/`, 0 failed, 0 not applicable; response times: median 4 ms, slowest 12 s (DUP-03)\n",
  );
});

it("failed cases are rows of a table, whose cells are text and never markup", () => {
  const bad = { outcome: "failed", sent: "a | b <img>", answer: "200" } as const;
  const failed = result({ ...bad, fix: "do\n[this](x)" });
  const recommended = { outcome: "failed", severity: "recommended", runs: 2 } as const;
  const advice = result({ ...recommended, id: "SIG-02", fix: "mend" });
  const text = markdownReport(whole([failed, advice], "after SIG-02"), false);
  expect(text).toContain("### ❌ hookporter check: 0 of 2 cases passed");
  expect(text).toMatch(
    /\*\*The run ended early:\*\* after SIG-02\n\n\*\*FORGED DELIVERIES GET IN: .*\*\*\n\n- one cause\n\n\| case \|/,
  );
  expect(text).toContain("| SIG-01 | a \\| b \\<img\\> | 200 | 4xx | do \\[this\\](x) |");
  expect(text).toContain(
    "| SIG-02 (recommended) | no signature header | 401, ran 2 times | 4xx | mend |",
  );
  expect(markdownReport(whole([advice]), false)).toContain("✅");
  expect(markdownReport(whole([advice]), true)).toContain("❌");
});
