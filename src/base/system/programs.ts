import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { join, resolve, win32 } from "node:path";
import { HookporterError } from "../errors.ts";
import { trimEndOf } from "../text/trim-end.ts";
import { tryOr } from "../try-or.ts";
import { type Environment, programFolders } from "./paths.ts";

// What differs between the systems in programs:
//
// |                                  | Linux      | macOS      | Windows                                        |
// |----------------------------------|------------|------------|------------------------------------------------|
// | can be started                   | by its mode| by its mode| by its extension; `.cmd` through cmd.exe alone |
// | with all it started              | a group    | a group    | found by taskkill                              |
// | asked to end                     | SIGTERM    | SIGTERM    | cannot be asked                                |
// | ends when this process is killed | `end-group-with-parent.ts` | `end-group-with-parent.ts` | by Node's job, but for what a `.cmd` started |
// | opens a file                     | xdg-open   | open       | rundll32                                       |

/** Whether process groups exist, so that one can be ended as a whole. */
export const HAS_PROCESS_GROUPS = process.platform !== "win32";

/** The program that opens a file in the user's preferred application, and its first arguments. */
export function openerOf(
  platform: NodeJS.Platform = process.platform,
): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}

/** Where a program is looked up: relative to a folder, and in the variable for it. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Environment;
}

/** What Windows can start, by extension, in the order in which it looks. */
const STARTABLE = ["com", "exe", "bat", "cmd"];

/**
 * The path of a program that is given by its path or by a name in `PATH`; `undefined` if it cannot
 * be found.
 */
export function findProgram(
  program: string,
  { cwd, env }: Surroundings,
  platform = process.platform,
) {
  const isWindows = platform === "win32";
  const hasFolder = (isWindows ? /[\\/:]/ : /\//).test(program);
  const isWhole =
    !isWindows || STARTABLE.some((text) => program.toLowerCase().endsWith(`.${text}`));
  const names = isWhole ? [program] : STARTABLE.map((text) => `${program}.${text}`);
  const folders = hasFolder ? [""] : programFolders(env, platform);
  return folders
    .flatMap((folder) => names.map((name) => resolve(cwd, join(folder, name))))
    .find((path) => isExecutable(path, isWindows));
}

function isExecutable(path: string, isWindows: boolean): boolean {
  return tryOr(() => {
    if (!isWindows) accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}

/**
 * How a program and its arguments are started without a shell. A batch file, such as npm's
 * `npx.cmd`, is started by cmd.exe, with each word in quotes.
 *
 * @throws HookporterError `usage` if the arguments of a batch file have characters that cmd.exe
 * interprets within quotes
 */
export function commandOf(
  [program = "", ...argv]: readonly string[],
  surroundings: Surroundings,
  platform = process.platform,
) {
  if (platform !== "win32") return { file: program, argv };
  const file = findProgram(program, surroundings, platform) ?? program;
  if (!/\.(?:bat|cmd)$/i.test(file)) return { file, argv };
  if ([file, ...argv].some((word) => /["%\r\n\0]/.test(word))) {
    throw new HookporterError(
      "usage",
      `expected the arguments of ${program} without double quotes, % and line breaks, which cmd.exe changes in those of a batch file: start its program itself, such as node with the path of a script`,
    );
  }
  // A backslash at the end would make the quote after it part of the word.
  const line = [file, ...argv]
    .map((word) => `"${word}${word.slice(trimEndOf(word, "\\").length)}"`)
    .join(" ");
  const shell = ["/d", "/s", "/v:off", "/c", `"${line}"`];
  return { file: systemProgram("cmd.exe"), argv: shell, windowsVerbatimArguments: true };
}

/** A program of Windows itself. By its name alone, one in the working folder would be started. */
function systemProgram(name: string): string {
  return win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", name);
}

/** Starts a program with pipes, and without a window. Throws as {@link commandOf}. */
export function startWords(
  words: readonly string[],
  { cwd, env, ...options }: SpawnOptionsWithoutStdio & Surroundings,
): ChildProcessWithoutNullStreams {
  const { argv, file, ...how } = commandOf(words, { cwd, env });
  return spawn(file, argv, {
    ...options,
    ...how,
    cwd,
    env: { ...env },
    stdio: "pipe",
    windowsHide: true,
  });
}

/**
 * Sends a signal to a program that leads a group, and to all it started. Windows ends them,
 * whatever the signal.
 */
export function endTree(
  child: ChildProcess,
  signal: NodeJS.Signals,
  platform = process.platform,
  start: typeof spawn = spawn,
): void {
  const { pid, exitCode, signalCode } = child;
  try {
    if (pid === undefined) return;
    if (platform !== "win32") process.kill(-pid, signal);
    else if (exitCode === null && signalCode === null) {
      const argv = ["/T", "/F", "/PID", String(pid)];
      // Not in this process's job, so that it finishes even if this process ends.
      const options = { stdio: "ignore", windowsHide: true, detached: true } as const;
      const alone = () => void child.kill("SIGKILL");
      start(systemProgram("taskkill.exe"), argv, options)
        .on("error", alone)
        .on("exit", (code) => code === 0 || alone())
        .unref();
    }
  } catch {
    // It has ended already.
  }
}

/**
 * Sends a signal to a program in this process's group. Windows ends it and all it started, since it
 * has no groups.
 */
export function endMember(child: ChildProcess, signal: NodeJS.Signals): void {
  if (HAS_PROCESS_GROUPS) child.kill(signal);
  else endTree(child, signal);
}
