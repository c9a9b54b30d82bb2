import { EventEmitter, once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import awsLambda from "@fastify/aws-lambda";
import express from "express";
import fastify from "fastify";
import mocks from "node-mocks-http";
import serverless from "serverless-http";
import { onTestFinished } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import { fastifyReceiver } from "../../src/entries/fastify.ts";
import type { Receiver } from "../../src/entries/index.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { EVENTS } from "../receiver/lambda-events.ts";
import { express4 } from "../receiver/wire.ts";

export interface Sent {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Got {
  readonly status: number;
  readonly text: string;
}

/**
 * A way in which requests reach a receiver without a connection: request, response and socket are
 * stand-ins.
 */
export interface StandIn {
  readonly name: string;
  readonly open: (receiver: Receiver) => (sent: Sent) => Promise<Got>;
}

const fromTests = createRequire(import.meta.url);
const fromFastify = createRequire(fromTests.resolve("fastify"));

interface Injected {
  readonly statusCode: number;
  readonly payload: string;
}
const inject = fromFastify("light-my-request") as (
  listener: RequestListener,
  request: object,
) => Promise<Injected>;

/** Those without types. */
const Koa = fromTests("koa") as new () => {
  use(middleware: (context: KoaContext, next: () => unknown) => unknown): void;
  callback(): RequestListener;
};
interface KoaContext {
  readonly path: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  respond: boolean;
}

const URL_PATH = "/webhooks";

/** As `docs/frameworks/koa.md` mounts it. */
function koaApp(receiver: Receiver) {
  const app = new Koa();
  const handle = nodeReceiver(receiver, { path: URL_PATH });
  app.use((context, next) => {
    if (context.path !== URL_PATH) return next();
    context.respond = false;
    handle(context.req, context.res);
    return undefined;
  });
  return app;
}

function expressApp(receiver: Receiver, create = express) {
  return create().use(URL_PATH, expressReceiver(receiver));
}

function fastifyApp(receiver: Receiver) {
  const app = fastify();
  onTestFinished(() => app.close());
  app.register(fastifyReceiver(receiver, { path: URL_PATH }));
  return app;
}

function byInject(listener: RequestListener) {
  return async ({ method = "POST", headers, body }: Sent): Promise<Got> => {
    const { statusCode, payload } = await inject(listener, {
      method,
      url: URL_PATH,
      headers,
      payload: body,
    });
    return { status: statusCode, text: payload };
  };
}

/**
 * For an Express app, light-my-request changes the prototypes of all apps of the process: here, for
 * one test.
 */
function injectExpress(app: express.Express) {
  for (const own of [app.request, app.response]) {
    const shared: object = Object.getPrototypeOf(own);
    const before: object | null = Object.getPrototypeOf(shared);
    onTestFinished(() => void Object.setPrototypeOf(shared, before));
  }
  return byInject(app);
}

/** Calls a Lambda function. */
function byLambda(call: (event: object) => Promise<object>) {
  return async ({ method = "POST", headers, body }: Sent): Promise<Got> => {
    const all = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const event = EVENTS["a REST API"]({ method, target: URL_PATH, headers: all, body });
    const answer = (await call(event)) as { readonly statusCode: number; readonly body: string };
    return { status: answer.statusCode, text: answer.body };
  };
}

function byServerless(app: serverless.Application) {
  const call = serverless(app);
  return byLambda((event) => call(event, {}));
}

/**
 * Calls a listener as a test of a handler does; `isLinked`: whether the response knows its request.
 */
function byMocks(listener: (request: never, response: never) => unknown, isLinked: boolean) {
  return async ({ method = "POST", headers, body }: Sent): Promise<Got> => {
    const request = mocks.createRequest({ method: method as "POST", url: URL_PATH, headers, body });
    const own = { eventEmitter: EventEmitter };
    const response = mocks.createResponse(isLinked ? { ...own, req: request } : own);
    const ended = once(response, "end");
    listener(request as never, response as never);
    await ended;
    return { status: response.statusCode, text: String(response._getData()) };
  };
}

export const STAND_INS: readonly StandIn[] = [
  {
    name: "fastifyReceiver by app.inject",
    open: (receiver) => {
      const app = fastifyApp(receiver);
      return async ({ method = "POST", headers, body }) => {
        const request = { method: method as "POST", url: URL_PATH, headers, payload: body };
        const { statusCode, payload } = await app.inject(request);
        return { status: statusCode, text: payload };
      };
    },
  },
  {
    name: "fastifyReceiver by @fastify/aws-lambda",
    open: (receiver) => {
      const call = awsLambda(fastifyApp(receiver) as never) as (
        event: object,
        context: object,
      ) => unknown;
      return byLambda((event) => call(event, {}) as Promise<object>);
    },
  },
  {
    name: "expressReceiver by light-my-request",
    open: (receiver) => injectExpress(expressApp(receiver)),
  },
  {
    name: "expressReceiver with Express 4 by light-my-request",
    open: (receiver) => injectExpress(expressApp(receiver, express4)),
  },
  {
    name: "nodeReceiver by light-my-request",
    open: (receiver) => byInject(nodeReceiver(receiver)),
  },
  {
    name: "nodeReceiver in Koa by light-my-request",
    open: (receiver) => byInject(koaApp(receiver).callback()),
  },
  {
    name: "expressReceiver by serverless-http",
    open: (receiver) => byServerless(expressApp(receiver)),
  },
  {
    name: "nodeReceiver by serverless-http",
    open: (receiver) => byServerless(nodeReceiver(receiver)),
  },
  {
    name: "nodeReceiver in Koa by serverless-http",
    open: (receiver) => byServerless(koaApp(receiver)),
  },
  {
    name: "nodeReceiver by node-mocks-http",
    open: (receiver) => byMocks(nodeReceiver(receiver), true),
  },
  {
    name: "nodeReceiver by node-mocks-http, with a response of no request",
    open: (receiver) => byMocks(nodeReceiver(receiver), false),
  },
  {
    name: "expressReceiver by node-mocks-http",
    open: (receiver) => {
      const handle = expressReceiver(receiver, { path: URL_PATH });
      return byMocks((request, response) => handle(request, response, () => {}), false);
    },
  },
];
