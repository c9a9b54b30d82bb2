import express from "express";
import { MAX_CONNECTIONS } from "../http/connection-cap.ts";
import { createWebhookServer } from "../http/express-server.ts";
import { announcedLength, type BodyLimits } from "../http/read-body.ts";
import { answerGivenUp } from "../http/refused-streak.ts";
import { closeServer, listenOn } from "../http/server.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { exchange } from "./http-exchange.ts";

/**
 * Milliseconds a connection has to send the head of its request; the receiver itself limits slow
 * bodies.
 */
export const HEAD_TIMEOUT = 10_000;

/**
 * Connections that never complete a head are closed soon, so they cannot exhaust the connections
 * honest senders need.
 */
const CONNECTIONS = { headersTimeout: HEAD_TIMEOUT, connectionsCheckingInterval: 1000 };

export interface ServerOptions {
  /** 0 for a free port. */
  readonly port: number;
  readonly host: string;
  readonly path: string;
  /** The most connections; see `createWebhookServer`. Default 4096. */
  readonly maxConnections?: number | undefined;
  /**
   * Returns the text to answer a GET of another target with, such as a tunnel's probe, or
   * `undefined` for 404.
   */
  readonly also?: ((target: string) => string | undefined) | undefined;
}

export interface RunningServer {
  readonly url: URL;
  /**
   * Stops accepting connections, waits up to 2 seconds for requests in progress, then closes the
   * remaining connections.
   */
  close(): Promise<void>;
}

/**
 * Starts an Express server with the receiver at one path; every other path is answered 404 in the
 * service's format.
 */
export async function startServer(receiver: Pick<Receiver, "receive">, options: ServerOptions) {
  const { port, host, path, maxConnections = MAX_CONNECTIONS, also } = options;
  const app = express().disable("x-powered-by");
  app.use((request, response, next) => {
    const text = request.method === "GET" ? also?.(request.originalUrl) : undefined;
    if (text === undefined) next();
    else response.set({ "Content-Type": "text/plain", "Cache-Control": "no-store" }).end(text);
  });
  app.use((request, response) => {
    void exchange(receiver, request, response, { target: request.originalUrl, path });
  });
  const server = createWebhookServer(app, { ...CONNECTIONS, maxConnections });
  // Express answers a target it cannot parse by itself, before any handler runs; here it is just
  // another wrong path.
  server.removeAllListeners("request").on("request", (request, response) => {
    if (answerGivenUp(request, response)) return;
    const answer = () =>
      void exchange(receiver, request, response, { target: request.url ?? "", path });
    app(request as express.Request, response as express.Response, answer);
  });
  // A sender that waits for `100 Continue` gets it only once the head of its request was accepted.
  server.on("checkContinue", (request, response) => {
    const beforeBody = ({ limit }: BodyLimits) => {
      if (announcedLength(request) <= limit) response.writeContinue();
    };
    void exchange(receiver, request, response, { target: request.url ?? "", path, beforeBody });
  });
  const bound = await listenOn(server, port, host);
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: new URL(`http://${name}:${bound}${path}`), close: () => closeServer(server) };
}
