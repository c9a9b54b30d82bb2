import { fork } from "node:child_process";
import { endGroupWithParent } from "../../base/system/end-group-with-parent.ts";
import { endTree, HAS_PROCESS_GROUPS } from "../../base/system/programs.ts";
import type { TunnelFailure, TunnelTarget } from "./provider.ts";

/** The first message to the child: which tunnel to open. */
export interface OpenMessage {
  readonly type: "open";
  /** A name in `PROVIDERS` of `child.ts`. */
  readonly provider: string;
  /** The settings for the provider's `open`; may contain a token. */
  readonly settings: object;
  readonly target: TunnelTarget;
}

export type ToChild = OpenMessage | { readonly type: "close" };

/** Messages from the child; they correspond to `TunnelReport`. */
export type FromChild =
  | { readonly type: "up"; readonly url: string }
  | { readonly type: "down"; readonly reason: string }
  | { readonly type: "failed"; readonly failure: TunnelFailure };

/** A child process as the supervisor sees it. */
export interface TunnelChild {
  readonly pid: number | undefined;
  /** Asks it to close its tunnel and end. */
  close(): void;
  /** Ends it, and everything it started, at once. */
  kill(): void;
}

export interface ChildListener {
  report(message: FromChild): void;
  /** The child is gone; nothing follows. */
  exit(how: string): void;
}

/** Starts a child, which opens its tunnel at once. */
export type StartChild = (listener: ChildListener) => TunnelChild;

/**
 * Starts each child as a process that leads its own process group. Everything the child starts
 * belongs to that group, so none of it outlives the child, and no child outlives this process. On
 * Windows, what a batch file has started outlives a child or a process that is killed. The file
 * calls `runChild`; the environment has no secrets, since settings are sent through the channel.
 */
export function childOf(file: string, env: NodeJS.ProcessEnv, open: OpenMessage): StartChild {
  return (listener) => {
    const child = fork(file, [], {
      env,
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      detached: HAS_PROCESS_GROUPS,
    });
    const send = (message: ToChild) => {
      // it may exit at any moment, which is reported separately
      if (child.connected) child.send(message, () => {});
    };
    const release = endGroupWithParent(child);
    const kill = () => endTree(child, "SIGKILL");
    child.on("message", (message: FromChild) => listener.report(message));
    child.once("error", (error) => {
      if (child.pid === undefined) listener.exit(`could not be started: ${error.message}`);
    });
    child.once("exit", (code, signal) => {
      kill(); // and everything it started
      release();
      listener.exit(signal === null ? `ended with code ${code}` : `was killed by ${signal}`);
    });
    send(open);
    return { pid: child.pid, close: () => send({ type: "close" }), kill };
  };
}

/** Replaces the child for an address that the user maintains: nothing to start, only to probe. */
export function fixedAddress(url: string): StartChild {
  return (listener) => {
    const end = () => listener.exit("was released");
    listener.report({ type: "up", url });
    return { pid: undefined, close: end, kill: end };
  };
}
