import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Handler, HandlerContext } from "../../dispatch/handler.ts";
import type { WebhookEvent } from "../../event/event.ts";
import { endGroupWithUs } from "../../tunnel/ends-with-us.ts";
import { readLines } from "../../tunnel/lines.ts";

/** Milliseconds from SIGTERM to SIGKILL. */
export const EXEC_GRACE = 5000;

/** Milliseconds in which the rest of a command's output is read after it has ended. */
const LAST_OUTPUT = 500;

/** How much of standard error becomes the error: the last lines, up to a length that terminals show. */
const ERROR_LINES = 5;
const ERROR_LENGTH = 400;

/** Whether process groups exist, so that one can be ended as a whole. */
const GROUPS = process.platform !== "win32";

/** The variables that a command gets about its event. A test compares them with `docs/cli.md`. */
export const EXEC_VARIABLES = [
  "HOOKPORTER_EVENT_ID",
  "HOOKPORTER_EVENT_KIND",
  "HOOKPORTER_EVENT_TIMESTAMP",
  "HOOKPORTER_ENTRY",
  "HOOKPORTER_ATTEMPT",
  "HOOKPORTER_DELIVERY_PATH",
  "HOOKPORTER_INBOX",
] as const;

/** The command of `--exec`, and its surroundings. */
export interface ExecOptions {
  /** Program and arguments; there is no shell. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** The environment, without secrets of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** The inbox file, or a URL without a password; `undefined` if it is in memory. */
  readonly inbox: string | undefined;
  /** Called with each line of output. */
  readonly onLine: (seq: number, line: string) => void;
  /** Milliseconds from SIGTERM to SIGKILL. Default {@link EXEC_GRACE}. */
  readonly grace?: number;
}

/**
 * Runs a command for each event, with the body on standard input. Each run has a process group of its own, which ends with
 * the command, when the handler's time is over, or with this process.
 */
export class ExecCommand {
  readonly #options: ExecOptions;
  /** The runs that have not ended, by entry. */
  readonly #runs = new Map<number, Promise<unknown>>();

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  /** Stable, so that a finished run is recognised after a restart. Arguments may hold secrets, so only the program is named. */
  get name(): string {
    return `exec ${this.#options.words[0]}`;
  }

  readonly handler: Handler = async (event, context) => {
    // After a time-out, the entry is retried while the command may still be ending.
    await this.#runs.get(context.seq)?.catch(() => {});
    context.signal.throwIfAborted();
    const run = this.#run(event, context);
    this.#runs.set(context.seq, run);
    try {
      await run;
    } finally {
      if (this.#runs.get(context.seq) === run) this.#runs.delete(context.seq);
    }
  };

  /** Resolves when every run has ended. The receiver is closed before, which ends them. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#runs.values());
  }

  async #run(event: WebhookEvent, { seq, attempt, delivery, signal }: HandlerContext): Promise<void> {
    const { words, cwd, env, inbox, onLine, grace = EXEC_GRACE } = this.#options;
    const [program = "", ...argv] = words;
    const own: Readonly<Record<(typeof EXEC_VARIABLES)[number], string>> = {
      HOOKPORTER_EVENT_ID: event.id,
      HOOKPORTER_EVENT_KIND: event.kind,
      HOOKPORTER_EVENT_TIMESTAMP: event.timestamp,
      HOOKPORTER_ENTRY: String(seq),
      HOOKPORTER_ATTEMPT: String(attempt),
      HOOKPORTER_DELIVERY_PATH: delivery.target.replace(/\?.*$/s, ""), // a query may hold credentials
      HOOKPORTER_INBOX: inbox ?? "",
    };
    // No variable can contain a zero byte.
    const variables = Object.fromEntries(
      Object.entries(own).map(([name, value]) => [name, value.replaceAll("\0", "")]),
    );
    const child = spawn(program, argv, {
      ...{ cwd, env: { ...env, ...variables }, stdio: "pipe", detached: GROUPS, windowsHide: true },
    });
    const release = GROUPS && child.pid !== undefined ? endGroupWithUs(child.pid) : () => {};
    const told: string[] = [];
    readLines(child.stdout, (line) => onLine(seq, line));
    readLines(child.stderr, (line) => {
      told.push(line);
      if (told.length > ERROR_LINES) told.shift();
      onLine(seq, line);
    });
    child.stdin.on("error", () => {}); // the command need not read its input
    child.stdin.end(delivery.body);
    let error: Error | undefined;
    child.once("error", (thrown) => {
      error = thrown;
    });
    const closed = once(child, "close").catch(() => {});
    const ended =
      child.pid === undefined ? closed : new Promise<void>((resolve) => child.once("exit", () => resolve()));
    let killing: NodeJS.Timeout | undefined;
    const onAbort = () => {
      end(child, "SIGTERM");
      killing = setTimeout(() => end(child, "SIGKILL"), grace);
    };
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    try {
      await ended;
      end(child, "SIGKILL"); // what it left running
      await Promise.race([closed, wait(LAST_OUTPUT, undefined, { ref: false })]);
    } finally {
      clearTimeout(killing);
      signal.removeEventListener("abort", onAbort);
      release();
    }
    const { exitCode, signalCode } = child;
    if (error !== undefined && child.pid === undefined) throw notStarted(program, error);
    if (exitCode !== 0) throw failed(program, signalCode ?? `exit code ${exitCode}`, told);
  }
}

function notStarted(program: string, cause: Error): Error {
  const { code } = cause as NodeJS.ErrnoException;
  const why =
    code === "ENOENT" ? "there is no such program" : code === "EACCES" ? "it is not executable" : code;
  return new Error(`could not start ${program}: ${why ?? cause.message}`);
}

function failed(program: string, how: string, lines: readonly string[]): Error {
  const said = lines.join(" | ").slice(-ERROR_LENGTH);
  return new Error(
    `expected ${program} to end with exit code 0, got ${how}${said === "" ? "" : `: ${said}`}`,
  );
}

/** Sends a signal to everything that a command started. */
function end(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (GROUPS && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended already.
  }
}
