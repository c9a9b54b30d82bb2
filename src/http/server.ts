import type { Server } from "node:http";
import { describeError, HookporterError } from "../errors.ts";

/** Milliseconds requests under way get when the server closes; a connection that sends nothing would never end. */
const CLOSE_GRACE = 2000;

/**
 * Connections that may wait to be accepted, as far as the system allows. Node's 511 are soon used up, and whoever comes
 * then tries again after one, three and seven seconds.
 */
const BACKLOG = 4096;

/**
 * Begins to listen.
 *
 * @param port - 0 asks for a free one
 * @throws HookporterError `port_unavailable`
 */
export function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const got = taken ? "it in use" : describeError(cause);
      const fix = taken
        ? "stop what uses it, or choose another with --port"
        : "choose another port or address";
      const message = `expected to listen on ${host}:${port}, got ${got}: ${fix}`;
      reject(new HookporterError("port_unavailable", message, { cause }));
    });
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
}

/** Takes no new connections, lets requests under way end for 2 seconds, then closes what is left. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE);
    server.close(() => {
      clearTimeout(grace);
      resolve();
    });
    server.closeIdleConnections();
  });
}
