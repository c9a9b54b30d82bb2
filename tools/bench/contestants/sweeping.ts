import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Receiver } from "../../../src/entries/index.ts";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { storeBehind } from "../store-behind.ts";
import { type Contestant, onLoopback } from "./contestant.ts";
import { waiting, withCounts } from "./hookporter.ts";

const DAY = 86_400_000;

/** Entries per step, as a receiver's own sweep takes them. */
const STEP = 200;

/**
 * Milliseconds without a request after which the sweep pauses, so that it runs only beside a load.
 */
const QUIET = 20;

/**
 * hookporter on `node:http`, which deletes entries older than 30 days while requests arrive, as its
 * retention does.
 */
export const sweeping: Contestant = {
  dialect: "service",
  start: async (options) => {
    const receiver = await waiting(options.inbox);
    const handle = nodeReceiver(receiver);
    let latest = 0;
    const running = await onLoopback(
      createServer((request, response) => {
        latest = performance.now();
        void handle(request, response);
      }),
    );
    const ended = new AbortController();
    const sweep = sweepBeside(
      receiver,
      () => ended.signal.aborted || performance.now() - latest > QUIET,
      ended.signal,
    );
    const counted = withCounts(running, receiver);
    return {
      ...counted,
      close: async () => {
        ended.abort();
        await sweep;
        await counted.close();
      },
    };
  },
};

async function sweepBeside(
  receiver: Receiver,
  isQuiet: () => boolean,
  ended: AbortSignal,
): Promise<void> {
  const inbox = storeBehind(receiver.inbox);
  const until = Date.now() - 30 * DAY;
  const request = { states: ["dead"], receivedUntil: until, datedUntil: until } as const;
  let cursor: string | undefined;
  while (!ended.aborted) {
    if (isQuiet()) {
      await wait(5);
      continue;
    }
    const step = await inbox.prune(request, { cursor, limit: STEP });
    cursor = step.next;
    if (cursor === undefined) return;
  }
}
