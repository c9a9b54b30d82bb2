import { describe, expect, it } from "vitest";
import {
  handledBy,
  kindsWithout,
  mergedRunner,
  type Runner,
  runsKind,
} from "../../src/inbox/runner.ts";

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

describe("the record of a process with several receivers", () => {
  const crm = runnerOf({});
  const merged = (...runners: readonly Runner[]) => mergedRunner("all", runners);

  it("has each source once, and the kinds as they are if all receivers run the same", () => {
    const billing = runnerOf({ sources: ["billing", "crm"] });
    expect(merged(crm, billing)).toMatchObject({
      id: "all",
      role: "both",
      sources: ["crm", "billing"],
      kinds: ["lead.*"],
    });
  });

  it("says which source each kind is for if they differ", () => {
    const billing = runnerOf({ sources: ["billing"], kinds: ["payment.*"] });
    const both = merged(crm, billing);
    for (const [source, kind] of [
      ["crm", "lead.created"],
      ["billing", "payment.received"],
    ] as const)
      expect(runsKind(both, source, kind)).toBe(true);
    expect(runsKind(both, "crm", "payment.received")).toBe(false);
    expect(runsKind(both, "billing", "lead.created")).toBe(false);
  });

  it("runs no kind of a receiver that only receives", () => {
    const receiving = runnerOf({ role: "receive", sources: ["billing"], kinds: ["payment.*"] });
    const both = merged(receiving, crm);
    expect(both).toMatchObject({ role: "both", sources: ["billing", "crm"] });
    expect(runsKind(both, "crm", "lead.created")).toBe(true);
    expect(runsKind(both, "billing", "payment.received")).toBe(false);
    expect(runsKind(both, "billing", "lead.created")).toBe(false);
    expect(merged(receiving)).toMatchObject({ role: "receive", kinds: [] });
    expect(merged(runnerOf({ role: "run" }), runnerOf({ role: "run" })).role).toBe("run");
    expect(merged(runnerOf({ role: "run" }), crm).role).toBe("both");
  });
});

it("what a handler leaves out is a list of kinds, without which its pattern is found again", () => {
  expect(kindsWithout("lead.*", [])).toBe("lead.*");
  const rest = kindsWithout("*", ["lead.*", "payment.received"]);
  expect(rest).toBe("* except lead.* payment.received");
  expect(handledBy(runnerOf({ kinds: [rest] }))).toEqual([{ sources: ["crm"], kinds: ["*"] }]);
});
