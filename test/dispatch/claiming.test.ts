import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { claimFailures } from "../../src/dispatch/claiming.ts";
import { keptLog } from "./sample.ts";

const MINUTE = 60_000;

describe("claimFailures", () => {
  let log: ReturnType<typeof keptLog>;
  let failures: ReturnType<typeof claimFailures>;
  let now: number;

  beforeEach(() => {
    log = keptLog();
    failures = claimFailures(log);
    now = 5 * MINUTE;
    vi.spyOn(performance, "now").mockImplementation(() => now);
  });

  afterEach(() => vi.restoreAllMocks());

  const errors = () => log.lines.map(({ fields }) => (fields as { error: string }).error);

  it("logs a failure with its error, and again once a minute while it lasts", () => {
    for (let second = 0; second <= 120; second++) {
      failures.report(new Error("locked"));
      now += 1000;
    }
    expect(errors()).toEqual(["locked", "locked", "locked"]);
  });

  it("logs a failure at once if it differs from the one before", () => {
    for (const message of ["locked", "disk full", "disk full", "locked"])
      failures.report(new Error(message));
    expect(errors()).toEqual(["locked", "disk full", "locked"]);
  });

  it("logs a failure at once after a claim that succeeded", () => {
    failures.report(new Error("locked"));
    failures.end();
    failures.report(new Error("locked"));
    expect(errors()).toEqual(["locked", "locked"]);
  });
});
