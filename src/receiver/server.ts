import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { describeError, HookporterError } from "../errors.ts";
import { expressReceiver } from "./express.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Where to listen. */
export interface ServerOptions {
  /** 0 asks for a free one. */
  readonly port: number;
  readonly host: string;
  readonly path: string;
}

/** A server that listens. */
export interface RunningServer {
  /** The endpoint's address. */
  readonly url: URL;
  /** Takes no new connections, lets requests under way end, then closes idle connections. */
  close(): Promise<void>;
}

/**
 * Starts an Express server with the receiver at one path; every other path answers 404 in the service's own form.
 *
 * @throws HookporterError `port_unavailable`
 */
export async function startServer(
  receiver: Pick<Receiver, "receive">,
  { port, host, path }: ServerOptions,
): Promise<RunningServer> {
  const app = express();
  app.disable("x-powered-by").enable("case sensitive routing");
  app.use(path, expressReceiver(receiver));
  app.use((request, response) => {
    void exchange(receiver, request, response, { target: request.originalUrl, path });
  });
  const server = createServer(app);
  await listening(server, port, host);
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: new URL(`http://${name}:${bound}${path}`), close: () => closed(server) };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const why = taken
        ? "it is in use: stop what uses it, or choose another with --port"
        : describeError(cause);
      reject(new HookporterError("port_unavailable", `cannot listen on ${host}:${port}: ${why}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
