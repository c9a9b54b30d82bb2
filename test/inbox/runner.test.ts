import { describe, expect, it } from "vitest";
import { kindsWithout, patternOf, type Runner, runsKind } from "../../src/inbox/runner.ts";

function runnerOf(parts: Partial<Runner>): Runner {
  return { id: "a", version: "1", role: "both", sources: ["crm"], kinds: ["lead.*"], ...parts };
}

describe("runsKind", () => {
  it.each<[readonly string[], string, boolean]>([
    [["lead.*"], "lead.created", true],
    [["lead.*"], "payment.received", false],
    [["payment.received", "lead.created"], "lead.created", true],
    [["*"], "invoice.sent", true],
    [["unknown"], "invoice.sent", true],
    [["unknown"], "lead.created", false],
    [["unknown except invoice.sent"], "invoice.sent", false],
    [["unknown except invoice.sent"], "invoice.paid", true],
    [["* except lead.* payment.received"], "lead.created", false],
    [["* except lead.* payment.received"], "payment.received", false],
    [["* except lead.* payment.received"], "payment.failed", true],
    [["* except lead.*", "lead.created"], "lead.created", true],
    [[], "lead.created", false],
  ])("a process with handlers for %j and the kind %s: %s", (kinds, kind, expected) => {
    expect(runsKind(runnerOf({ kinds }), "crm", kind)).toBe(expected);
  });

  it("a process of another source, or that only receives, does not run it", () => {
    expect(runsKind(runnerOf({}), "billing", "lead.created")).toBe(false);
    expect(runsKind(runnerOf({ role: "receive" }), "crm", "lead.created")).toBe(false);
    expect(runsKind(runnerOf({ role: "run" }), "crm", "lead.created")).toBe(true);
  });
});

it("a pattern is found again without what it leaves out", () => {
  expect(kindsWithout("lead.*", [])).toBe("lead.*");
  expect(patternOf(kindsWithout("lead.*", ["lead.created", "lead.updated"]))).toBe("lead.*");
});
