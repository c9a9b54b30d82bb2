import { type ProgramEnd, type ProgramOptions, startProgram } from "./program.ts";
import type { OpenTunnel, TunnelFailure, TunnelReport } from "./provider.ts";

/** The number of lines kept of each stream; the cause is among the last, below a warning of up to a dozen lines. */
const KEPT_LINES = 40;

/** The last lines that a program printed. */
export type Said = Readonly<Record<"stdout" | "stderr", readonly string[]>>;

/** Which program opens the tunnel, and what its output means. */
interface ProgramTunnel extends Omit<ProgramOptions, "onLine" | "onEnd"> {
  /** Seconds until it must have printed an address. */
  readonly addressTimeout: number;
  /** The address in a line, or why the line ends the tunnel. */
  readUrl(line: string, stream: "stdout" | "stderr"): string | TunnelFailure | undefined;
  /** Why there is no address in time. */
  noAddress(said: Said): TunnelFailure;
  /** Why the program has ended; `wasUp` says whether there was an address. */
  ended(end: ProgramEnd, said: Said, wasUp: boolean): TunnelFailure;
}

/** Opens a tunnel through a program that prints its address. */
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
