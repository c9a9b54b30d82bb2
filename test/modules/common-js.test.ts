import { expect, it } from "vitest";
import { printed, projectWithProgram, runProgram } from "./program.ts";

/** Node then reads packages as Jest does: `require` takes CommonJS only. */
const ONLY_COMMON_JS = ["--no-warnings", "--no-experimental-require-module"];

it("the CommonJS build keeps events in SQLite, which is a native addon on Node 20, and starts its writer thread", async () => {
  const { commonJs } = projectWithProgram();
  const { stdout, stderr } = await runProgram(commonJs, { flags: ONLY_COMMON_JS });
  expect(stderr).toBe("");
  expect(stdout).toBe(printed(1));
});

it("a CommonJS program on Node requires the ES module, and starts its writer thread", async () => {
  const { commonJs } = projectWithProgram();
  const { stdout, stderr } = await runProgram(commonJs);
  expect(stderr).toBe("");
  expect(stdout).toBe(printed(1));
});
