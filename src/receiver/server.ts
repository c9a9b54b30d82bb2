import type { AddressInfo } from "node:net";
import express from "express";
import { answerGivenUp } from "../http/answer.ts";
import { MAX_CONNECTIONS } from "../http/connection-cap.ts";
import { createServer } from "../http/express-server.ts";
import { announcedLength, type BodyLimits } from "../http/read-body.ts";
import { closeServer, listenOn } from "../http/server.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Milliseconds a connection has for the head of its request; slow bodies are the receiver's own business. */
export const HEAD_TIMEOUT = 10_000;

/** A connection that never sends a whole head ends soon, so that idle ones cannot use up what honest senders need. */
const CONNECTIONS = { headersTimeout: HEAD_TIMEOUT, connectionsCheckingInterval: 1000 };

/** Where to listen. */
export interface ServerOptions {
  /** 0 asks for a free one. */
  readonly port: number;
  readonly host: string;
  readonly path: string;
  /** The most connections; see `createServer`. Default 4096. */
  readonly maxConnections?: number | undefined;
  /** A text to answer a GET of other targets with, such as a tunnel's probe; `undefined` leaves them at 404. */
  readonly also?: ((target: string) => string | undefined) | undefined;
}

/** A server that listens. */
export interface RunningServer {
  /** The endpoint's address. */
  readonly url: URL;
  /** Takes no new connections, lets requests under way end for 2 seconds, then closes what is left. */
  close(): Promise<void>;
}

/**
 * Starts an Express server with the receiver at one path; every other path answers 404 in the service's own form.
 *
 * @throws HookporterError `port_unavailable`
 */
export async function startServer(
  receiver: Pick<Receiver, "receive">,
  { port, host, path, maxConnections = MAX_CONNECTIONS, also }: ServerOptions,
): Promise<RunningServer> {
  const app = express().disable("x-powered-by");
  app.use((request, response, next) => {
    const text = request.method === "GET" ? also?.(request.originalUrl) : undefined;
    if (text === undefined) next();
    else response.set({ "Content-Type": "text/plain", "Cache-Control": "no-store" }).end(text);
  });
  app.use((request, response) => {
    void exchange(receiver, request, response, { target: request.originalUrl, path });
  });
  const server = createServer(app, { ...CONNECTIONS, maxConnections });
  // Express itself answers a target that it cannot parse, before any handler; here that is a wrong path like any other.
  server.removeAllListeners("request").on("request", (request, response) => {
    if (answerGivenUp(response)) return;
    const answer = () => void exchange(receiver, request, response, { target: request.url ?? "", path });
    app(request as express.Request, response as express.Response, answer);
  });
  // A sender that asks before it sends is told to go on only once the head of its request has passed.
  server.on("checkContinue", (request, response) => {
    const beforeBody = ({ limit }: BodyLimits) => {
      if (announcedLength(request) <= limit) response.writeContinue();
    };
    void exchange(receiver, request, response, { target: request.url ?? "", path, beforeBody });
  });
  await listenOn(server, port, host);
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: new URL(`http://${name}:${bound}${path}`), close: () => closeServer(server) };
}
