import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { endGroupWithParent } from "../../base/system/end-group-with-parent.ts";
import { endTree, HAS_PROCESS_GROUPS, startWords } from "../../base/system/programs.ts";
import { readLines } from "../../relay/tunnel/lines.ts";

/** Milliseconds from SIGTERM to SIGKILL. */
export const GRACE = 5000;

/** Milliseconds in which the rest of a command's output is read after it has ended. */
const LAST_OUTPUT = 500;

/**
 * How much of standard error becomes the error: the last lines, up to a length that terminals show.
 */
export const ERROR_LINES = 5;
const ERROR_LENGTH = 400;

export interface CommandSetup {
  /** Program and arguments; there is no shell. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** The environment, without secrets of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds from SIGTERM to SIGKILL. Default 5000. */
  readonly grace?: number;
}

interface CommandRun extends CommandSetup {
  /** What it gets besides its environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly input: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/**
 * Runs a command in a process group of its own, which ends with the command, when the signal is
 * aborted, or with this process. Returns how it ended, such as `exit code 3` or `SIGKILL`, but
 * `undefined` for exit code 0; and the last lines of standard error, as one. Throws an error if the
 * program could not be started.
 */
export async function runCommand(run: CommandRun) {
  const { words, cwd, env, variables, input, signal, onLine, grace = GRACE } = run;
  const [program = ""] = words;
  // No variable can contain a zero byte.
  const own = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replaceAll("\0", "")]),
  );
  const child = startWords(words, { cwd, env: { ...env, ...own }, detached: HAS_PROCESS_GROUPS });
  const release = endGroupWithParent(child);
  const reported: string[] = [];
  readLines(child.stdout, onLine);
  readLines(child.stderr, (line) => {
    reported.push(line);
    if (reported.length > ERROR_LINES) reported.shift();
    onLine(line);
  });
  child.stdin.on("error", () => {}); // the command need not read its input
  child.stdin.end(input);
  let error: Error | undefined;
  child.once("error", (thrown) => {
    error = thrown;
  });
  const closed = once(child, "close").catch(() => {});
  const ended =
    child.pid === undefined
      ? closed
      : new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let killing: NodeJS.Timeout | undefined;
  const onAbort = () => {
    endTree(child, "SIGTERM");
    killing = setTimeout(() => endTree(child, "SIGKILL"), grace);
  };
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    await ended;
    endTree(child, "SIGKILL"); // what it left running
    await Promise.race([closed, wait(LAST_OUTPUT, undefined, { ref: false })]);
  } finally {
    clearTimeout(killing);
    signal.removeEventListener("abort", onAbort);
    release();
  }
  const { exitCode, signalCode } = child;
  if (error !== undefined && child.pid === undefined) throw notStarted(program, error);
  const how = exitCode === 0 ? undefined : (signalCode ?? `exit code ${exitCode}`);
  return { how, said: reported.join(" | ").slice(-ERROR_LENGTH) };
}

function notStarted(program: string, cause: Error): Error {
  const { code } = cause as NodeJS.ErrnoException;
  const why =
    code === "ENOENT"
      ? "there is no such program"
      : code === "EACCES"
        ? "it is not executable"
        : code;
  return new Error(`could not start ${program}: ${why ?? cause.message}`);
}
