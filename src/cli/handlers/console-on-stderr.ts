import { Console } from "node:console";
import { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import type { Io } from "../io.ts";

/**
 * Redirects what handlers print with `console` to standard error, since standard output is only for
 * our data; returns a restore function. Calls `onPrint` with each text as well, and writes with
 * `write`, by default to the stream itself. Replaces the console's own methods, so that
 * `node:console` and later copies are redirected too.
 */
export function consoleOnStderr(
  { stderr, isTTY }: Pick<Io, "stderr"> & Partial<Pick<Io, "isTTY">>,
  onPrint: (isError: boolean, text: string) => void = () => {},
  write: (text: string) => void = (text) => stderr.write(text),
): () => void {
  const before = { ...globalThis.console };
  const streams = {
    stdout: heard(write, (text) => onPrint(false, text)),
    stderr: heard(write, (text) => onPrint(true, text)),
    // A console finds this out itself only if it has the real stream.
    colorMode: isTTY?.stderr === true && (stderr as Partial<WriteStream>).hasColors?.() === true,
  };
  Object.assign(globalThis.console, new Console(streams));
  return () => void Object.assign(globalThis.console, before);
}

/** A stream that passes text on at once. */
function heard(write: (text: string) => void, onText: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      write(String(chunk));
      onText(String(chunk));
      done();
    },
  });
}
