import type { Readable, Writable } from "node:stream";

/** The signals that end a command. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** Everything a command uses outside itself, so that tests can replace it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Calls the listener for stop signals, which then no longer end the process; returns an unsubscribe function. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Calls the listener for each key, unechoed and at once; Ctrl-C and Ctrl-Z still work. Returns an unsubscribe function. */
  readonly onKeys: (listener: (key: string) => void) => () => void;
  /** Calls the listener for uncaught errors, which then no longer end the process; returns an unsubscribe function. */
  readonly onStray: (listener: (thrown: unknown) => void) => () => void;
}
