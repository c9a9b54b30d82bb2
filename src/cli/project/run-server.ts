import { describeError, HookporterError } from "../../base/errors.ts";
import { isError } from "../../base/guards.ts";
import { unusableFrom } from "../../base/unusable.ts";

/** Ends a server in order, such as by closing its receiver; called once, with the signal. */
export type CloseServer = (signal: "SIGTERM" | "SIGINT") => unknown;

const ignore = () => {};

/**
 * Milliseconds in which a second signal is the first one, passed on by another way: Ctrl-C reaches
 * each process of a terminal, and `node --watch` and some package managers send it on.
 */
export const SAME_SIGNAL = 500;

/**
 * Runs a server's process. A known mistake of its start, such as a port in use or no secret, is one
 * line on standard error, and exit code 1; any other error keeps its stack. On SIGTERM or SIGINT it
 * calls the returned function, then the listeners that were there before, such as those of a
 * framework. It ends the process unless something else listens to the signal by then, such as an
 * app that added its listener later and ends itself. A second signal ends it at once, unless it
 * comes within half a second.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { runServer } from "hookporter/config";
 *
 * await runServer(() => {
 *   const server = createServer((_, response) => response.end()).listen(3000, "127.0.0.1");
 *   return () => server.close();
 * });
 * ```
 *
 * @param start - starts the server; returns what closes it
 */
export async function runServer(start: () => CloseServer | Promise<CloseServer>): Promise<void> {
  let close: CloseServer;
  try {
    close = await start();
  } catch (thrown) {
    process.stderr.write(`error: ${startError(thrown)}\n`, () => process.exit(1));
    return new Promise(() => {}); // nothing after it runs
  }
  const signals = ["SIGTERM", "SIGINT"] as const;
  const others = new Map(
    signals.map((signal) => [signal as NodeJS.Signals, process.listeners(signal)] as const),
  );
  const end = async (signal: NodeJS.Signals) => {
    for (const signal of signals) process.off(signal, end);
    // Those that were added since the start have been called, or are about to be.
    const later = process.listeners(signal).filter((listener) => listener !== ignore);
    for (const repeated of signals) process.on(repeated, ignore);
    setTimeout(() => {
      for (const repeated of signals) process.off(repeated, ignore);
    }, SAME_SIGNAL).unref();
    try {
      await close(signal as (typeof signals)[number]);
    } catch (thrown) {
      process.stderr.write(`error: the server could not be closed: ${startError(thrown)}\n`);
      process.exitCode = 1;
    }
    const before = others.get(signal) ?? [];
    for (const listener of before) listener(signal);
    if (before.length + later.length === 0) process.exit();
  };
  for (const signal of signals) process.removeAllListeners(signal).on(signal, end);
}

/** One line if the cause is known, else the stack. */
function startError(thrown: unknown): string {
  const known =
    thrown instanceof HookporterError ? thrown : (listenError(thrown) ?? unusableFrom(thrown));
  if (known !== undefined) return known.message;
  if (Object(thrown).code === "ERR_SOCKET_BAD_PORT") return describeError(thrown);
  return isError(thrown) ? String(thrown.stack) : describeError(thrown);
}

function listenError(thrown: unknown): HookporterError | undefined {
  const {
    code = "",
    syscall,
    port,
    address = "",
  } = Object(thrown) as Readonly<Record<string, string>>;
  if (syscall !== "listen" || port === undefined) return undefined;
  const why = {
    EADDRINUSE: "another program uses it: stop that program, or set PORT to another port",
    EACCES: "this user may not listen on it: set PORT to one from 1024",
    EADDRNOTAVAIL: "this machine has no such address: set HOST to one of its own",
  }[code];
  return new HookporterError(
    "port_unavailable",
    `expected to listen on ${address}:${port}, got ${code}: ${why ?? "set PORT and HOST to a port and an address that are free"}`,
    { cause: thrown },
  );
}
