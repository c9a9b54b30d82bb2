import { HookporterError } from "../../errors.ts";
import { withoutPassword } from "../../inbox/postgres/options.ts";
import type { CliContext } from "../context.ts";
import { canStart } from "../files/find-program.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { printable } from "../printable.ts";
import { childEnvironment } from "../secrets/child-environment.ts";
import { ExecCommand } from "./exec-command.ts";

/** The options for running a command per event. */
export interface ExecFlagOptions {
  /** Program and arguments. */
  readonly exec?: readonly string[];
}

/** The options beside it. */
interface Beside extends ExecFlagOptions {
  readonly secretEnv?: readonly string[];
  readonly withheldEnv?: readonly string[];
}

/**
 * Prepares the command of `--exec`; returns `undefined` without it.
 *
 * @throws HookporterError `usage` if there is no such program
 */
export function openExec(
  { exec, secretEnv = [], withheldEnv = [] }: Beside,
  inbox: NamedInbox,
  { io, output }: CliContext,
  onPrint: (text: string) => void = () => {},
): ExecCommand | undefined {
  if (exec === undefined) return undefined;
  const env = childEnvironment(io, [...secretEnv, ...withheldEnv]);
  const [program = ""] = exec;
  if (!canStart(program, io.cwd, env.PATH)) {
    throw new HookporterError(
      "usage",
      `expected --exec to begin with a program, got ${program}, which is no executable file${program.includes("/") ? "" : " in PATH"}: correct it, or run a shell, such as 'sh -c "…"'`,
    );
  }
  return new ExecCommand({
    ...{ words: exec, cwd: io.cwd, env },
    inbox: inbox.option === "memory:" ? undefined : (inbox.file ?? withoutPassword(inbox.option)),
    onLine: (seq, line) => {
      output.talk(`exec #${seq}: ${printable(line, 500)}`);
      onPrint(line);
    },
  });
}
