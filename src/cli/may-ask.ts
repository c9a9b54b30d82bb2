import type { CliContext } from "./context.ts";

/** Whether to ask: only a person at a terminal is asked, and flags can answer every question. */
export function mayAsk({ io, output }: CliContext, yes: boolean | undefined): boolean {
  const isCi = !["", "0", "false"].includes((io.env.CI ?? "").toLowerCase());
  return yes !== true && !output.json && !isCi && io.isTTY.stdin && io.isTTY.stderr;
}
