import { expect, it } from "vitest";
import { githubReport } from "../../src/check/report-github.ts";
import { reportOf, result } from "./sample.ts";

const failed = { outcome: "failed", fix: "mend" } as const;
const results = [
  result(),
  result({ ...failed, id: "SIG-02", sent: "a: b, 50%", answer: "200", fix: "line 1\nline 2" }),
  result({ ...failed, id: "SIG-03", severity: "recommended", runs: 2 }),
  result({ ...failed, id: "SIG-04", severity: "informational", fix: "see" }),
  result({ id: "SIG-05", outcome: "not_applicable", fix: "no observer" }),
];

const report = reportOf(results, { diagnosis: ["one cause"] });

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
