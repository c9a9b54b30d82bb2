import express from "express";
import { onTestFinished } from "vitest";
import { expressReceiver } from "../../../src/entries/express.ts";
import { createReceiver, type Receiver } from "../../../src/entries/index.ts";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { type AtEnd, type ReceiverUnderTest, SECRET, serve } from "./under-test.ts";

/** hookporter's own receiver in an Express app. */
export async function ownExpress(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const { receiver, runs } = await openReceiver(atEnd);
  const app = express().get("/runs", runs).use("/webhooks", expressReceiver(receiver));
  return observed(await serve(app, atEnd));
}

/** hookporter's own receiver on `node:http`. */
export async function ownNode(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const { receiver, runs } = await openReceiver(atEnd);
  const app = express().get("/runs", runs).use(nodeReceiver(receiver));
  return observed(await serve(app, atEnd));
}

function observed(url: URL): ReceiverUnderTest {
  return { url, observe: `${url.origin}/runs?marker={marker}` };
}

async function openReceiver(
  atEnd: AtEnd = onTestFinished,
): Promise<{ receiver: Receiver; runs: express.RequestHandler }> {
  const ran = new Map<string, number>();
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const receiver = createReceiver({
    secret: SECRET,
    inbox: "memory:",
    bodyTimeout: 3000,
    poll: 20,
    log: quiet,
  });
  receiver.on("*", ({ data }) => {
    const marker = String((data as { id?: unknown }).id);
    ran.set(marker, (ran.get(marker) ?? 0) + 1);
  });
  await receiver.start();
  atEnd(() => receiver.close());
  const runs: express.RequestHandler = ({ query }, response) => {
    response.send(String(ran.get(String(query.marker)) ?? 0));
  };
  return { receiver, runs };
}
