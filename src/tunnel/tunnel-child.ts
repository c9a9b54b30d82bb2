import { type ChildProcess, fork } from "node:child_process";
import { endGroupWithUs } from "./ends-with-us.ts";
import type { FromChild, OpenMessage, ToChild } from "./messages.ts";

/** A child process as the supervisor sees it. */
export interface TunnelChild {
  readonly pid: number | undefined;
  /** Asks it to close its tunnel and to end. */
  close(): void;
  /** Ends it and whatever it started, at once. */
  kill(): void;
}

/** What the supervisor wants to hear of a child. */
export interface ChildListener {
  report(message: FromChild): void;
  /** It is gone; nothing follows. */
  exit(how: string): void;
}

/** Starts a child, which opens its tunnel at once. */
export type StartChild = (listener: ChildListener) => TunnelChild;

/** How children are started. */
export interface ChildOptions {
  /** A file that calls `runChild`. */
  readonly file: string;
  /** Without secrets: settings come over the channel. */
  readonly env: NodeJS.ProcessEnv;
  readonly open: OpenMessage;
}

/** Where a process group of its own can be killed whole. */
const GROUPS = process.platform !== "win32";

/**
 * Starts children that are processes, each the leader of a group of its own, which what it starts belongs to. No such
 * process outlives the child, and none of them this process, however it goes. On Windows, which has no such groups, a
 * program that a killed child had started goes on.
 */
export function childOf({ file, env, open }: ChildOptions): StartChild {
  return (listener) => {
    const child = fork(file, [], {
      env,
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      detached: GROUPS,
    });
    const tell = (message: ToChild) => {
      if (child.connected) child.send(message, () => {}); // it may go at any moment, and its exit is told
    };
    const release = GROUPS && child.pid !== undefined ? endGroupWithUs(child.pid) : () => {};
    child.on("message", (message: FromChild) => listener.report(message));
    child.once("error", (error) => {
      if (child.pid === undefined) listener.exit(`could not be started: ${error.message}`);
    });
    child.once("exit", (code, signal) => {
      kill(child); // what it had started
      release();
      listener.exit(signal === null ? `ended with code ${code}` : `was killed by ${signal}`);
    });
    tell(open);
    return { pid: child.pid, close: () => tell({ type: "close" }), kill: () => kill(child) };
  };
}

function kill(child: ChildProcess): void {
  try {
    if (GROUPS && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
}
