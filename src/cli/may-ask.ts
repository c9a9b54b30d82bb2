import type { CliContext } from "./context.ts";

/** Whether to ask: only a person at a terminal is asked, and flags can answer every question. */
export function mayAsk({ io, output }: CliContext, yes: boolean | undefined): boolean {
  const isCi = !["", "0", "false"].includes((io.env.CI ?? "").toLowerCase());
  return yes !== true && !output.json && !isCi && io.isTTY.stdin && io.isTTY.stderr;
}

/** Asks a question whose answer is no unless the person says yes. */
export async function confirmed(message: string, { io }: CliContext): Promise<boolean> {
  const { confirm } = await import("@clack/prompts"); // only if there is something to ask
  return (
    (await confirm({ message, initialValue: false, input: io.stdin, output: io.stderr })) === true
  );
}
