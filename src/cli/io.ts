import type { Readable, Writable } from "node:stream";

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** A standard stream that can no longer be written to. */
export interface BrokenOutput {
  readonly name: "standard output" | "standard error";
  readonly error: Error;
}

/** A call of `process.exit` by code other than ours. */
export interface ExitCall {
  readonly code: number;
  /** The place in a file, such as `/app/handlers/pay.js:12`; `undefined` if unknown. */
  readonly at: string | undefined;
}

/** Everything a command uses outside itself, so that tests can replace it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder; empty if it was removed. */
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Set if an agent runs the command, not a person, with what it may do. */
  readonly agent?: { readonly hosts: boolean };
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /**
   * Calls the listener for stop signals, which then no longer end the process; returns an
   * unsubscribe function.
   */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /**
   * Calls the listener for each key, unechoed and at once, with its escape sequence for keys such
   * as arrows; Ctrl-C and Ctrl-Z still work. Returns an unsubscribe function.
   */
  readonly onKeys: (listener: (key: string) => void) => () => void;
  /**
   * Calls the listener once for each standard stream that can no longer be written to, which then
   * no longer ends the process, as it does a command that only prints.
   */
  readonly onBrokenOutput: (listener: (broken: BrokenOutput) => void) => void;
  /**
   * Calls the listener for uncaught errors, which then no longer end the process; returns an
   * unsubscribe function.
   */
  readonly onStray: (listener: (thrown: unknown) => void) => () => void;
  /**
   * Calls the listener if code in this process calls `process.exit`, other than through
   * {@link Io.exit}. The process then ends with the code that the listener returns, before anything
   * asynchronous can run. Returns an unsubscribe function.
   */
  readonly onExitCall: (listener: (call: ExitCall) => number) => () => void;
}
