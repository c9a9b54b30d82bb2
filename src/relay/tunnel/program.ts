import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { endMember, startWords } from "../../base/system/programs.ts";
import { readLines } from "./lines.ts";
import type { OpenTunnel, TunnelFailure, TunnelReport } from "./provider.ts";

/**
 * Milliseconds a program gets to end before it is killed. Shorter than the time for closing a
 * tunnel.
 */
const GRACE = 500;

interface ProgramOptions {
  /** A name in `PATH`, or a path. */
  readonly program: string;
  /** Passed unchanged: there is no shell. */
  readonly argv: readonly string[];
  /** Working folder. Default: that of this process. */
  readonly cwd?: string;
  /**
   * Called with each line of standard output and standard error, without colours and control
   * characters.
   */
  onLine(line: string, stream: "stdout" | "stderr"): void;
  /** Called when the program has ended and all its lines were reported, but not after `end`. */
  onEnd(end: ProgramEnd): void;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The reason if it could not be started. */
  readonly error?: NodeJS.ErrnoException;
}

/** Whether a program could not be started since it is not there, or may not be run. */
export function isMissing(error: NodeJS.ErrnoException): boolean {
  return error.code === "ENOENT" || error.code === "EACCES";
}

/**
 * Starts a tunnel's client. It stays in the process group of the tunnel's child process, so that
 * anything it starts and leaves behind ends with that group; see `tunnel-child.ts`.
 */
export function startProgram({
  program,
  argv,
  cwd = process.cwd(),
  onLine,
  onEnd,
}: ProgramOptions) {
  // Standard input stays open as long as this process: a program that reads it must not see its end
  // and stop.
  const child = startWords([program, ...argv], { cwd, env: process.env });
  let reported = true;
  let error: Error | undefined;
  child.on("error", (thrown) => {
    error ??= thrown;
  });
  for (const stream of ["stdout", "stderr"] as const)
    readLines(child[stream], (line) => reported && onLine(line, stream));
  child.stdin.on("error", () => {}); // the input may close first
  const closed = once(child, "close").catch(() => {});
  const ended =
    child.pid === undefined ? closed : new Promise((resolve) => child.once("exit", resolve));
  // A process that it left behind may hold its output open for ever.
  void ended
    .then(() => Promise.race([closed, wait(GRACE, undefined, { ref: false })]))
    .then(() => {
      const { exitCode, signalCode: signal } = child;
      if (reported) onEnd({ exitCode, signal, ...(error !== undefined && { error }) });
    });
  return {
    /** Ends the program: asks, then kills. Calls back no more. */
    end: async () => {
      reported = false;
      endMember(child, "SIGTERM");
      await Promise.race([ended, wait(GRACE, undefined, { ref: false })]);
      endMember(child, "SIGKILL"); // no effect if it has ended
      await ended;
    },
  };
}

/**
 * The number of lines kept of each stream; the cause is among the last, below a warning of up to a
 * dozen lines.
 */
const KEPT_LINES = 40;

/** The last lines that a program printed. */
export type Said = Readonly<Record<"stdout" | "stderr", readonly string[]>>;

/** Which program opens the tunnel, and what its output means. */
interface ProgramTunnel extends Omit<ProgramOptions, "onLine" | "onEnd"> {
  /** Seconds until it must have printed an address. */
  readonly addressTimeout: number;
  readUrl(line: string, stream: "stdout" | "stderr"): string | TunnelFailure | undefined;
  /** Why there is no address in time. */
  noAddress(said: Said): TunnelFailure;
  /** Why the program has ended; `wasUp` says whether there was an address. */
  ended(end: ProgramEnd, said: Said, wasUp: boolean): TunnelFailure;
}

export function openProgramTunnel(
  { addressTimeout, readUrl, noAddress, ended, ...program }: ProgramTunnel,
  report: TunnelReport,
): OpenTunnel {
  const said = { stdout: [] as string[], stderr: [] as string[] };
  let current: string | undefined;
  const running = startProgram({
    ...program,
    onLine: (line, stream) => {
      said[stream].splice(0, said[stream].push(line) - KEPT_LINES);
      const found = readUrl(line, stream);
      if (found === undefined || found === current) return;
      if (typeof found !== "string") return giveUp(found);
      clearTimeout(patience);
      current = found;
      report.up(found);
    },
    onEnd: (end) => {
      clearTimeout(patience);
      report.failed(ended(end, said, current !== undefined));
    },
  });
  const patience = setTimeout(() => giveUp(noAddress(said)), addressTimeout * 1000);
  const close = () => {
    clearTimeout(patience);
    return running.end();
  };
  const giveUp = (why: TunnelFailure) => void close().then(() => report.failed(why));
  return { close };
}
