import { expect, it } from "vitest";
import { githubReport } from "../../src/check/report-github.ts";
import { reportOf, result, statuses } from "./sample.ts";

const results = [
  result(),
  result("SIG-02", {
    outcome: "failed",
    answers: statuses(200),
    fault: { code: "not_observed", detail: "line 1, 50%\nline 2" },
  }),
  result("HTTP-10", {
    outcome: "failed",
    severity: "recommended",
    runs: 2,
    fault: { code: "conflict" },
  }),
  result("TIME-15", { outcome: "failed", fault: { code: "redirects" } }),
  result("DUP-05", { outcome: "not_applicable", answers: [], fault: { code: "no_observer" } }),
];

const report = reportOf(results, { diagnosis: [{ code: "nothing_runs", cases: [] }] });

it("a failed case is an error, a warning or a notice, with its answer and its fix", () => {
  const cause = "No confirmed event was seen to run: the receiver does not process what it";
  expect(githubReport(report, false).split("\n")).toEqual([
    expect.stringMatching(`^::error title=hookporter check::failed: ${cause} .*`),
    "::error title=SIG-02%3A an empty signature header%2C or a word in it::answered 200, expected refused: could not be observed: line 1, 50%25%0Aline 2",
    expect.stringMatching(
      /^::warning title=HTTP-10%3A half a body%2C then silence::answered 401, ran 2 times, expected 4xx or closed: it refuses a valid delivery/,
    ),
    expect.stringMatching(
      /^::notice title=TIME-15%3A an offset other than UTC::answered 401, expected 4xx: it redirects/,
    ),
    "::notice title=hookporter check::1 of 5 cases passed, 3 failed, 1 were not applicable: http://127.0.0.1:3000/",
    "",
  ]);
});

it("a failed recommended case is an error with --strict, and so is a receiver that stopped", () => {
  const stopped = { code: "not_begun", detail: "gone", by: null } as const;
  const lines = githubReport({ ...report, stopped }, true).split("\n");
  expect(lines[0]).toBe("::error title=hookporter check::stopped: no case was run: gone");
  expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(3);
});
