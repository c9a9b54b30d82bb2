/**
 * Connections come in. Bodies go out as they were sent, and answers. Nobody can hold more than the
 * limits of memory, time and connections allow.
 */

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describeError, HookporterError } from "../base/errors.ts";
import { CLOSE_GRACE } from "./closing.ts";

/**
 * Connections that may wait to be accepted, up to the system's limit. Node's default of 511 fills
 * up quickly, and clients then retry after one, three and seven seconds.
 */
const BACKLOG = 4096;

/**
 * Starts listening; port 0 is a free one. Resolves to the port.
 *
 * @param flag - with which a user chooses another port
 * @throws HookporterError `port_unavailable`
 */
export function listenOn(
  server: Server,
  port: number,
  host: string,
  flag = "--port",
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const got = taken ? "it in use" : describeError(cause);
      const fix = taken
        ? `stop what uses it, or choose another with ${flag}`
        : "choose another port or address";
      const message = `expected to listen on ${host}:${port}, got ${got}: ${fix}`;
      reject(new HookporterError("port_unavailable", message, { cause }));
    });
    const bound = () => resolve((server.address() as AddressInfo).port);
    server.listen({ port, host, backlog: BACKLOG }, bound);
  });
}

/**
 * Stops accepting connections, waits up to 2 seconds for requests in progress, then closes the
 * remaining connections.
 */
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
