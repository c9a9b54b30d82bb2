import { expect, it } from "vitest";
import { countResults } from "../../src/check/check-result.ts";
import { githubReport } from "../../src/check/report-github.ts";
import { result } from "./sample.ts";

const results = [
  result(),
  result({
    id: "SIG-02",
    sent: "a: b, 50%",
    outcome: "failed",
    answer: "200",
    fix: "line 1\nline 2",
  }),
  result({ id: "SIG-03", outcome: "failed", severity: "recommended", runs: 2, fix: "mend" }),
  result({ id: "SIG-04", outcome: "failed", severity: "informational", fix: "see" }),
  result({ id: "SIG-05", outcome: "not_applicable", fix: "no observer" }),
];
const report = {
  proof: null,
  requests: 1,
  url: "http://127.0.0.1:3000/",
  startedAt: "2026-01-01T00:00:00.000Z",
  duration: 1,
  results,
  diagnosis: ["one cause"],
  stopped: null,
  endedBy: null,
  isReceiversFault: false,
  responseTimes: null,
  counts: countResults(results),
};

it("a failed case is an error, a warning or a notice, with its answer and its fix", () => {
  expect(githubReport(report, false).split("\n")).toEqual([
    "::error title=hookporter check::failed: one cause",
    "::error title=SIG-02%3A a%3A b%2C 50%25::answered 200, expected 4xx: line 1%0Aline 2",
    "::warning title=SIG-03%3A no signature header::answered 401, ran 2 times, expected 4xx: mend",
    "::notice title=SIG-04%3A no signature header::answered 401, expected 4xx: see",
    "::notice title=hookporter check::1 of 5 cases passed, 3 failed, 1 were not applicable: http://127.0.0.1:3000/",
    "",
  ]);
});

it("a failed recommended case is an error with --strict, and so is a receiver that stopped", () => {
  const lines = githubReport({ ...report, stopped: "after SIG-03" }, true).split("\n");
  expect(lines[0]).toBe("::error title=hookporter check::stopped: after SIG-03");
  expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(3);
});
