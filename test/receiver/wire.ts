import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
} from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, connect, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { onTestFinished } from "vitest";
import { startServer } from "../../src/adapters/server.ts";
import { expressReceiver } from "../../src/entries/express.ts";
import { fastifyReceiver } from "../../src/entries/fastify.ts";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import type { Receiver } from "../../src/entries/index.ts";
import { lambdaReceiver } from "../../src/entries/lambda.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { gateway } from "./gateway.ts";
import { EVENTS } from "./lambda-events.ts";
import { streamReceiver } from "./stream-receiver.ts";

/** What a receiver does not see. */
interface Hidden {
  /** `URL` has resolved the target. */
  readonly target?: true;
  /** A `?` without a query. */
  readonly query?: true;
  /** When the connection is closed. */
  readonly connection: true;
  /** The body as a stream: it is received to its end first. */
  readonly stream?: true;
  /** Bytes that are not UTF-8, in a body of JSON or text. */
  readonly binary?: true;
}

/** An adapter that serves a receiver at `/webhooks`. */
export interface Adapter {
  readonly name: string;
  /** What the runtime decides or does before a receiver sees a request. */
  readonly hides?: Hidden;
  /** Listens until the test ends. */
  readonly listen: (receiver: Receiver) => Promise<URL>;
}

/** All adapters. */
export const ADAPTERS: readonly Adapter[] = [
  {
    name: "the server of `listen`",
    listen: async (receiver) => {
      const server = await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" });
      onTestFinished(() => server.close());
      return server.url;
    },
  },
  {
    name: "expressReceiver in an app",
    listen: (receiver) => listenExpress((app) => app.use("/webhooks", expressReceiver(receiver))),
  },
  {
    name: "expressReceiver in an app of Express 4",
    listen: (receiver) => listenNode(express4().use("/webhooks", expressReceiver(receiver))),
  },
  { name: "nodeReceiver", listen: (receiver) => listenNode(nodeReceiver(receiver)) },
  {
    name: "fastifyReceiver",
    listen: async (receiver) => {
      const app = fastify();
      onTestFinished(() => app.close());
      app.register(fastifyReceiver(receiver));
      return new URL("/webhooks", await app.listen({ port: 0, host: "127.0.0.1" }));
    },
  },
  {
    name: "fetchReceiver under Hono's server",
    hides: { target: true, query: true, connection: true },
    listen: (receiver) =>
      listenNode(getRequestListener(fetchReceiver(receiver, { path: "/webhooks" }))),
  },
  behindGateway("an HTTP API", { binary: true }),
  behindGateway("a REST API"),
  {
    name: "the adapter of docs/frameworks/write-an-adapter.md",
    hides: { connection: true },
    listen: (receiver) => {
      const handle = streamReceiver(receiver);
      return listenNode(async (request, response) => {
        const { method = "", url: target = "", headers } = request;
        const answer = await handle({ method, target, headers, body: request });
        response.writeHead(answer.status, answer.headers as OutgoingHttpHeaders);
        response.end(method === "HEAD" ? undefined : answer.body);
      });
    },
  },
];

/** Without types of its own. */
export const express4 = createRequire(import.meta.url)("express4") as typeof express;

/** `lambdaReceiver` behind a server that turns requests into events, as API Gateway does. */
function behindGateway(source: keyof typeof EVENTS, hides: Partial<Hidden> = {}): Adapter {
  return {
    name: `lambdaReceiver behind ${source}`,
    hides: { query: true, connection: true, stream: true, ...hides },
    listen: (receiver) =>
      listenNode(gateway(lambdaReceiver(receiver, { path: "/webhooks" }), EVENTS[source])),
  };
}

/** The adapters that see a request as it came. */
export const RAW_ADAPTERS = ADAPTERS.filter(({ hides }) => hides === undefined);

/** Serves a user's Express app until the test ends. */
export function listenExpress(
  mount: (app: express.Express) => unknown,
  create = express,
): Promise<URL> {
  const app = create();
  mount(app);
  return listenNode(app);
}

/** Starts a Node server until the test ends; returns the URL of `/webhooks`. */
export async function listenNode(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
}

/** A response. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request; a body of several chunks is sent without a length. */
export interface Request {
  readonly method?: string;
  /** The raw request target. */
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | readonly Uint8Array[];
  readonly trailers?: Readonly<Record<string, string>>;
}

/**
 * Sends one request on a new connection with node:http, which leaves target and headers unchanged.
 */
export function send(
  url: URL,
  { method = "POST", target, headers, body, trailers }: Request,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const path = target ?? url.pathname;
    const outgoing = request({ host: url.hostname, port: url.port, method, path, agent: false });
    for (const [name, value] of Object.entries(headers ?? {})) outgoing.setHeader(name, value);
    outgoing.on("error", reject).on("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    if (Array.isArray(body) || trailers !== undefined) {
      for (const chunk of [body ?? []].flat()) outgoing.write(chunk);
      if (trailers !== undefined) outgoing.addTrailers(trailers);
      outgoing.end();
    } else outgoing.end(body);
  });
}

/** Opens a raw connection that ends with the test. */
export async function dial(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}); // a reset is an expected answer
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  return socket;
}

/** Everything the peer sends until it closes the connection. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => chunks.push(chunk)).once("close", () => resolve());
  });
  return Buffer.concat(chunks);
}

/** The status, head and body of one raw answer. */
export function splitAnswer(raw: Buffer): { status: number; head: string; body: Buffer } {
  const end = raw.indexOf("\r\n\r\n");
  const head = raw.subarray(0, end).toString("latin1");
  return { status: Number(head.split(" ")[1]), head, body: raw.subarray(end + 4) };
}
