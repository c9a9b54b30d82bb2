import { constants } from "node:os";
import type { StopSignal } from "./io.ts";

// What differs between the systems in signals:
//
// |                              | Linux, macOS | Windows                                              |
// |------------------------------|--------------|------------------------------------------------------|
// | Ctrl-C                       | SIGINT       | SIGINT; a process that sends itself one is ended     |
// | Ctrl-Break                   | –            | SIGBREAK                                             |
// | closed terminal              | SIGHUP       | SIGHUP; ended some seconds later in any case         |
// | stopped by a service manager | SIGTERM      | ended without a signal                               |
// | Ctrl-Z                       | SIGTSTP      | no signal                                            |

/**
 * The signals that ask this process to stop, and what each counts as. Listening for one that a
 * system lacks has no effect.
 */
const STOPS: Readonly<Record<StopSignal | "SIGBREAK", StopSignal>> = {
  SIGINT: "SIGINT",
  SIGTERM: "SIGTERM",
  SIGHUP: "SIGHUP",
  SIGBREAK: "SIGINT",
};

/**
 * Calls the listener for signals to stop, which then no longer end the process; returns an
 * unsubscribe function.
 */
export function onStopSignal(listener: (signal: StopSignal) => void): () => void {
  const listeners = Object.entries(STOPS).map(([name, signal]) => ({
    name,
    call: () => listener(signal),
  }));
  for (const { name, call } of listeners) process.on(name, call);
  return () => {
    for (const { name, call } of listeners) process.off(name, call);
  };
}

/**
 * Whether Ctrl-Z can stop this job until the shell continues it.
 *
 * @param known - the signals of this system
 */
export function canSuspend(known: object = constants.signals): boolean {
  return "SIGTSTP" in known;
}
