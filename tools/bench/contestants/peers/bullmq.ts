import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { type PeerEvent, peer } from "./peer.ts";

const QUEUE = "webhooks";

/** Jobs that run at the same time: they do nothing, so more would change little. */
const CONCURRENCY = 50;

/** A queue in Redis, which removes a job when it is done. */
export const bullmq = peer(async (inbox, handle) => {
  const [connection, own] = [1, 2].map(() => new Redis(inbox, { maxRetriesPerRequest: null })) as [
    Redis,
    Redis,
  ];
  const queue = new Queue<PeerEvent>(QUEUE, {
    connection,
    defaultJobOptions: { removeOnComplete: true },
  });
  const worker = new Worker<PeerEvent>(QUEUE, async ({ data }) => handle(data), {
    connection: own,
    concurrency: CONCURRENCY,
  });
  await worker.waitUntilReady();
  return {
    keep: (event) => queue.add("event", event),
    close: async () => {
      await worker.close();
      await queue.close();
      for (const client of [connection, own]) client.disconnect();
    },
  };
});
