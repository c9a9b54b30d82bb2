import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Makes reads of a process, and of those that it starts, fail for a while, as a disk with errors
 * does.
 *
 * @param which - `when=1` for the first one of each thread; default: all
 */
export async function failReads(
  pid: number,
  inbox: string,
  duration: number,
  which = "",
): Promise<void> {
  const calls = "pread64,read";
  const filter = ["-e", `trace=${calls}`, "-P", inbox, "-P", `${inbox}-wal`];
  const argv = [
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    ...filter,
    "-e",
    `inject=${calls}:error=EIO${which}`,
    "-p",
    String(pid),
  ];
  const tracer = spawn("strace", argv, { stdio: "ignore" });
  const ended = once(tracer, "exit");
  await sleep(duration);
  tracer.kill("SIGINT");
  await ended;
}
