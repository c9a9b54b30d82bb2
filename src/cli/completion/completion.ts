import type { CliContext } from "../context.ts";
import type { Shell } from "./options.ts";
import { completionScript } from "./scripts.ts";

/** `completion`. */
export async function printCompletion(shell: Shell, { output }: CliContext): Promise<void> {
  const script = completionScript(shell);
  output.data(script.trimEnd());
  output.record("completion", { shell, script });
}
