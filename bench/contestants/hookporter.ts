import { createServer as createNodeServer } from "node:http";
import express from "express";
import { createWebhookServer, expressReceiver } from "../../src/entries/express.ts";
import type { Inbox } from "../../src/entries/inbox.ts";
import {
  createReceiver,
  type Receiver,
  type ReceiverOptions,
  type WebhookEvent,
} from "../../src/entries/index.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { SECRET } from "../events.ts";
import { type Contestant, onLoopback, type Running, type StartOptions } from "./contestant.ts";
import { noStore } from "./no-store.ts";
import { quiet } from "./quiet.ts";

const HOUR = 3_600_000;

/** hookporter in Express on its own server: verified, validated, deduplicated, stored on disk before the answer. */
export const hookporterExpress: Contestant = {
  dialect: "service",
  start: (options) => onExpress(options, options.inbox),
};

/** hookporter on `node:http`: the same work. */
export const hookporterNode: Contestant = {
  dialect: "service",
  start: (options) => onNode(options, options.inbox),
};

/** The same work for entries of 100 order keys, which run one after another. */
export const hookporterNodeInOrder: Contestant = {
  dialect: "service",
  start: (options) => onNode(options, options.inbox, { orderBy: keyOf }),
};

/** The same work without a store, on Express. */
export const hookporterExpressNoStore: Contestant = {
  dialect: "service",
  start: (options) => onExpress(options, noStore()),
};

/** The same work without a store, on `node:http`. */
export const hookporterNodeNoStore: Contestant = {
  dialect: "service",
  start: (options) => onNode(options, noStore()),
};

async function onExpress(options: StartOptions, inbox: string | Inbox): Promise<Running> {
  const receiver = await started(options, inbox);
  const app = express().disable("x-powered-by").use("/webhooks", expressReceiver(receiver)); // as in our template
  return withCounts(await onLoopback(createWebhookServer(app)), receiver);
}

async function onNode(
  options: StartOptions,
  inbox: string | Inbox,
  more: Partial<ReceiverOptions> = {},
): Promise<Running> {
  const receiver = await started(options, inbox, more);
  return withCounts(await onLoopback(createNodeServer(nodeReceiver(receiver))), receiver);
}

/** With `handle`, every entry's handler runs on arrival; otherwise all wait behind a busy one. */
export async function started(
  { handle }: Pick<StartOptions, "handle">,
  inbox: string | Inbox,
  more: Partial<ReceiverOptions> = {},
): Promise<Receiver> {
  const busy = { concurrency: 1, handlerTimeout: HOUR, drainTimeout: 0 };
  const receiver = createReceiver({ secret: SECRET, inbox, log: quiet, ...(!handle && busy), ...more });
  if (handle) receiver.on("*", () => {});
  else receiver.on("*", (_, { signal }) => new Promise((end) => signal.addEventListener("abort", end)));
  await receiver.start();
  return receiver;
}

/** One of 100 keys. */
function keyOf({ data }: WebhookEvent): string {
  return `key-${Number(Object.entries(data).find(([name]) => name === "bench")?.[1]) % 100}`;
}

/** Adds what tells how many entries were stored and handled, and closes the receiver with its server. */
export function withCounts(running: Running, receiver: Receiver): Running {
  let done = 0;
  receiver.observe((observation) => {
    if (observation.type === "attempt" && observation.state === "handled") done++;
  });
  return {
    ...running,
    counts: async () => {
      const [newest] = await receiver.inbox.list({ limit: 1 }); // nothing is deleted here, so its number is their count
      return { kept: newest?.seq ?? 0, done };
    },
    close: async () => {
      await running.close();
      await receiver.close();
    },
  };
}
