import { PgBoss } from "pg-boss";
import { type PeerEvent, peer } from "./peer.ts";

const QUEUE = "webhooks";

/**
 * A queue in PostgreSQL that wakes its worker up, which fetches batches for as long as they are
 * full.
 */
export const pgBoss = peer(async (inbox, handle) => {
  const boss = new PgBoss({ connectionString: inbox, useListenNotify: true });
  boss.on("error", (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  await boss.work<PeerEvent>(QUEUE, { batchSize: 100, burstWhenBatchFull: true }, async (jobs) => {
    await Promise.all(jobs.map(({ data }) => handle(data)));
  });
  return { keep: (event) => boss.send(QUEUE, event), close: () => boss.stop({ graceful: false }) };
});
