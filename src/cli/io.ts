import type { Readable, Writable } from "node:stream";

/** The signals that end a command. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** A call of `process.exit` that is not ours. */
export interface ExitCall {
  readonly code: number;
  /** The place in a file, such as `/app/handlers/pay.js:12`; `undefined` where it is not known. */
  readonly at: string | undefined;
}

/** Everything a command touches outside itself, so that a test can give it another. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Tells of stop signals from now on, which then no longer end the process by themselves; gives the way back. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Tells of each key from now on, unechoed and at once; Ctrl-C and Ctrl-Z do what they do. Gives the way back. */
  readonly onKeys: (listener: (key: string) => void) => () => void;
  /** Tells of errors that nothing caught, which then no longer end the process; gives the way back. */
  readonly onStray: (listener: (thrown: unknown) => void) => () => void;
  /**
   * Calls the listener if code in this process calls `process.exit`, other than through {@link Io.exit}. The process then
   * ends with the code that the listener returns; nothing asynchronous happens any more. Returns the way back.
   */
  readonly onExitCall: (listener: (call: ExitCall) => number) => () => void;
}
