import type { Server } from "node:http";
import { describeError, HookporterError } from "../errors.ts";

/** Milliseconds that requests in progress get when the server closes; an idle connection would never end. */
const CLOSE_GRACE = 2000;

/**
 * Connections that may wait to be accepted, up to the system's limit. Node's default of 511 fills up quickly, and clients
 * then retry after one, three and seven seconds.
 */
const BACKLOG = 4096;

/**
 * Starts listening.
 *
 * @param port - 0 for a free one
 * @throws HookporterError `port_unavailable`
 */
export function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const why = taken
        ? "it is in use: stop the other process, or choose another port with --port"
        : describeError(cause);
      reject(new HookporterError("port_unavailable", `cannot listen on ${host}:${port}: ${why}`, { cause }));
    });
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
}

/** Stops accepting connections, waits up to 2 seconds for requests in progress, then closes the remaining connections. */
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
