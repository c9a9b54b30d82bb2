import { describe, expect, it } from "vitest";
import { causesOfRuns, type Disturbance, type Run } from "./causes.ts";

const run = (process: string, from: number, to?: number): Run => ({
  number: 1,
  process,
  from,
  ...(to !== undefined && { to }),
});
const of = (process: string) => (other: string) => other === process;
const kill: Disturbance = { cause: "kill", from: 1000, to: 1010, reaches: of("2.1") };
const freeze = (to: number): Disturbance => ({
  cause: "freeze past the lease",
  from: 1000,
  to,
  reaches: of("2.1"),
});

describe("the cause of a run", () => {
  it.each([
    ["another process was killed", [run("3.1", 900), run("2.2", 6000)], [kill]],
    [
      "the process was killed long after the run",
      [run("2.1", -9000, -8990), run("3.1", 6000)],
      [kill],
    ],
    [
      "the process was frozen for less than it keeps a lease",
      [run("2.1", 900), run("3.1", 6000)],
      [freeze(2500)],
    ],
    ["nothing was disturbed", [run("2.1", 900), run("3.1", 6000)], []],
  ])("is missing if %s", (_, runs, disturbances) => {
    expect(causesOfRuns(runs, disturbances, 5000).withoutCause).toHaveLength(1);
  });
});
