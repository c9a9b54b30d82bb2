import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Begins with `Z` if it has ended but was not reaped yet. */
  readonly state: string;
  /** Its words, with blanks between them. */
  readonly command: string;
}

/** Whether a process is running. */
export function isAlive(pid: number | undefined): boolean {
  return processes().some((one) => one.pid === pid && !one.state.startsWith("Z"));
}

/** The processes that a process started, without the shell that ends them when it is killed. */
export function childrenOf(pid: number | undefined): readonly number[] {
  return processes().flatMap(({ pid: child, parent, command }) =>
    parent === pid && !command.includes("hookporter-watcher") ? [child] : [],
  );
}

/** All processes that a process started, and that those started. */
export function descendantsOf(pid: number): readonly Process[] {
  const all = processes();
  const below = (parent: number): readonly Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

/** What other users of the machine can read about a process, if the system shows it. */
export function shownOf(pid: number): string {
  return ["cmdline", "environ"].map((file) => read(`/proc/${pid}/${file}`)).join("\n");
}

function processes(): readonly Process[] {
  if (!existsSync("/proc/self/stat")) return listed();
  return readdirSync("/proc").flatMap((name) => {
    // "pid (name) state parent …"; a name may hold anything, so it is read from its end
    const [, pid, state = "", parent] =
      /^(\d+) \(.*\) (\w) (\d+) /s.exec(read(`/proc/${name}/stat`)) ?? [];
    if (pid === undefined) return [];
    const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
    return [{ pid: Number(pid), parent: Number(parent), state, command }];
  });
}

function listed(): readonly Process[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,state=,command="], {
    encoding: "utf8",
  });
  return table.split("\n").map((line) => {
    const [pid, parent, state = "", ...words] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state, command: words.join(" ") };
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has ended in the meantime
  }
}
