import { Logger, run } from "graphile-worker";
import { type PeerEvent, peer } from "./peer.ts";

/** Jobs in PostgreSQL, fetched and completed in batches, as its page on performance recommends. */
export const graphileWorker = peer(async (inbox, handle) => {
  const runner = await run({
    preset: {
      worker: {
        connectionString: inbox,
        concurrentJobs: 10,
        localQueue: { size: 100 },
        completeJobBatchDelay: 0,
        logger: new Logger(() => () => {}),
      },
    },
    taskList: { event: (event) => handle(event as PeerEvent) },
    parsedCronItems: [],
    noHandleSignals: true,
  });
  return { keep: (event) => runner.addJob("event", event), close: () => runner.stop() };
});
