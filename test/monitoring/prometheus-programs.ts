import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";
import { skip } from "../strangers/programs.ts";

const has = (program: string) =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

const PROGRAMS = { promtool: has("promtool"), prometheus: has("prometheus") };

/**
 * Skips a test if this machine lacks a program of Debian's package `prometheus`, and prints that.
 */
export function needsPrometheus(context: TestContext, program: keyof typeof PROGRAMS): void {
  if (!PROGRAMS[program]) skip(context, program);
}
