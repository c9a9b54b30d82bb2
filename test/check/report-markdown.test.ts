import { expect, it } from "vitest";
import { markdownReport } from "../../src/check/report-markdown.ts";
import { verdictOnReport } from "../../src/check/verdict.ts";
import { reportOf, result, statuses } from "./sample.ts";

const whole = (results: ReturnType<typeof result>[], stopped = false) => {
  const responseTimes = { median: 4, slowest: 12_300, slowestCase: "DUP-03" } as const;
  return reportOf(results, {
    responseTimes,
    diagnosis: stopped
      ? [
          { code: "nothing_verified", cases: [], letsForgedIn: true },
          { code: "nothing_runs", cases: [] },
        ]
      : [],
    stopped: stopped ? { code: "not_begun", detail: "after SIG-02", by: null } : null,
  });
};

it("a run without failures is one heading and one line", () => {
  expect(markdownReport(whole([result()]), false)).toBe(
    "### ✅ hookporter check: 1 of 1 cases passed\n\n`http://127.0.0.1:3000/`, 0 failed, 0 not applicable; response times: median 4 ms, slowest 12 s (DUP-03)\n",
  );
});

it("failed cases are rows of a table, whose cells are text and never markup", () => {
  const failed = result("SIG-01", {
    outcome: "failed",
    answers: statuses(200),
    fault: { code: "not_observed", detail: "a | b <img> do\n[this](x) @ada o/r#1 https://a.b" },
  });
  const advice = result("GATE-13", {
    outcome: "failed",
    severity: "recommended",
    runs: 2,
    fault: { code: "redirects" },
  });
  const report = whole([failed, advice], true);
  expect(verdictOnReport(report, false).type).toBe("forged");
  const text = markdownReport(report, false);
  expect(text).toContain("### ❌ hookporter check: 0 of 2 cases passed");
  expect(text).toMatch(
    /\*\*The run ended early:\*\* no case was run: after SIG-02\n\n\*\*FORGED DELIVERIES GET IN: .*\*\*\n\n- No confirmed event .*\n\n\| case \|/,
  );
  expect(text).toContain(
    "| SIG-01 | no signature header | 200 | refused, best 401 | could not be observed: a \\| b \\<img\\> do \\[this\\](x) @<!-- -->ada o/r\\#<!-- -->1 https:<!-- -->//a.b |",
  );
  expect(text).toContain(
    "| GATE-13 (recommended) | unsigned and wrongly signed: application/vnd.api+json | 401, ran 2 times | refused, never runs | it redirects",
  );
  expect(markdownReport(whole([advice]), false)).toContain("✅");
  expect(markdownReport(whole([advice]), true)).toContain("❌");
});
