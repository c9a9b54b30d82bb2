import { createServer } from "node:http";
import express from "express";
import { indexOf } from "../../events.ts";
import { checkAndParse } from "../check.ts";
import { type Contestant, onLoopback } from "../contestant.ts";

/** A received event: its signature serves as a unique id. */
export interface PeerEvent {
  readonly id: string;
  readonly data: object;
}

/** Keeps events and has each of them handled, also those that an earlier process left behind. */
export interface Keeper {
  /** Resolves once the event is durable. */
  readonly keep: (event: PeerEvent) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/**
 * An Express receiver that keeps each event before the answer.
 *
 * @param open - opens the file or the database at `inbox`; `handle` is the handler of an event
 */
export function peer(
  open: (inbox: string, handle: (event: PeerEvent) => Promise<void>) => Promise<Keeper>,
): Contestant {
  return {
    dialect: "service",
    handles: true,
    start: async ({ inbox, ran }) => {
      let kept = 0;
      let done = 0;
      const { keep, close } = await open(inbox, async ({ data }) => {
        await ran(indexOf(data));
        done++;
      });
      const app = express().disable("x-powered-by");
      app.post(
        "/webhooks",
        express.raw({ type: "*/*", limit: "1mb" }),
        async (request, response) => {
          const id = request.headers["x-service-signature"];
          const event = checkAndParse(request.body, id);
          if (event === undefined) return void response.status(401).json({ error: "signature" });
          await keep({ id: String(id), data: (event as PeerEvent).data });
          kept++;
          response.status(200).json({ received: true });
        },
      );
      const running = await onLoopback(createServer(app));
      return {
        ...running,
        counts: async () => ({ kept, done }),
        close: async () => {
          await running.close();
          await close();
        },
      };
    },
  };
}
