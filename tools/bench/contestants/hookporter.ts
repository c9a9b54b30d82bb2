import { createServer as createNodeServer } from "node:http";
import express from "express";
import { createWebhookServer, expressReceiver } from "../../../src/entries/express.ts";
import {
  createReceiver,
  type Receiver,
  type ReceiverOptions,
  type WebhookEvent,
} from "../../../src/entries/index.ts";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { indexOf, SECRET } from "../events.ts";
import { type Contestant, onLoopback, type Running, type StartOptions } from "./contestant.ts";
import { noStore } from "./no-store.ts";
import { quiet } from "./quiet.ts";
import { SCHEMAS } from "./schemas.ts";

const HOUR = 3_600_000;

/**
 * hookporter in Express on its own server, as `hookporter create` configures it: schemas, and
 * handlers that run.
 */
export const hookporterExpress = onExpress({ schemas: SCHEMAS });

/** hookporter on `node:http`: the same work. */
export const hookporterNode = onNode({ schemas: SCHEMAS });

/** The same work without schemas. */
export const withoutSchemas = onNode({});

/** The same work for entries of 100 order keys, which run one after another. */
export const inOrder = onNode({ schemas: SCHEMAS, orderBy: keyOf });

/** Without schemas, and all entries wait behind a busy handler. */
export const expressReceivedOnly = onExpress("received only");
export const nodeReceivedOnly = onNode("received only");

/** The same without a store. */
export const expressNoStore = onExpress("no store");
export const nodeNoStore = onNode("no store");

/** A receiver's options if its handlers run, or what it does instead. */
type Work = Partial<ReceiverOptions> | "received only" | "no store";

function onExpress(work: Work): Contestant {
  return contestant(work, (receiver) => {
    // as in our template
    const app = express().disable("x-powered-by").use("/webhooks", expressReceiver(receiver));
    return onLoopback(createWebhookServer(app));
  });
}

function onNode(work: Work): Contestant {
  return contestant(work, (receiver) => onLoopback(createNodeServer(nodeReceiver(receiver))));
}

function contestant(work: Work, listen: (receiver: Receiver) => Promise<Running>): Contestant {
  return {
    dialect: "service",
    handles: typeof work === "object",
    start: async (options) => {
      const receiver =
        typeof work === "object"
          ? await handling(options, work)
          : await waiting(work === "no store" ? noStore() : options.inbox);
      return withCounts(await listen(receiver), receiver);
    },
  };
}

/** A receiver whose handlers run. */
async function handling(
  { inbox, ran }: StartOptions,
  more: Partial<ReceiverOptions>,
): Promise<Receiver> {
  const receiver = createReceiver({ secret: SECRET, inbox, log: quiet, ...more });
  receiver.on("*", ({ data }) => ran(indexOf(data)));
  await receiver.start();
  return receiver;
}

/** A receiver whose entries wait behind a busy handler. */
export async function waiting(
  inbox: ReceiverOptions["inbox"],
  more: Partial<ReceiverOptions> = {},
): Promise<Receiver> {
  const busy = { concurrency: 1, handlerTimeout: HOUR, drainTimeout: 0 };
  const receiver = createReceiver({ secret: SECRET, inbox, log: quiet, ...busy, ...more });
  receiver.on("*", (_, { signal }) => new Promise((end) => signal.addEventListener("abort", end)));
  await receiver.start();
  return receiver;
}

/** One of 100 keys. */
function keyOf({ data }: WebhookEvent): string {
  return `key-${indexOf(data) % 100}`;
}

/**
 * Adds what tells how many entries were stored and handled, and closes the receiver with its
 * server.
 */
export function withCounts(running: Running, receiver: Receiver): Running {
  let done = 0;
  receiver.observe((observation) => {
    if (observation.type === "attempt" && observation.state === "handled") done++;
  });
  return {
    ...running,
    counts: async () => {
      // nothing is deleted here, so its number is their count
      const [newest] = await receiver.inbox.list({ limit: 1 });
      return { kept: newest?.seq ?? 0, done };
    },
    close: async () => {
      await running.close();
      await receiver.close();
    },
  };
}
