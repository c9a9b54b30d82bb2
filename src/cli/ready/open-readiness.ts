import { resolve } from "node:path";
import type { RunningServer } from "../../adapters/server.ts";
import { pauseLines } from "../../inbox/paced-retry.ts";
import type { MeasuredReceiver } from "../../observe/metrics.ts";
import { inboxOf } from "../../receiver/inbox-view.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import type { CliContext } from "../context.ts";
import { startHealthServer } from "./health-server.ts";
import { Readiness } from "./readiness.ts";
import { openReadyFile } from "./ready-file.ts";

/**
 * Starts the health server and removes an old ready file before anything else is opened. So an
 * early request gets 503, and a script that waits for the file waits for this process.
 */
export async function openReadiness(
  { readyFile, healthPort }: { readonly readyFile?: string; readonly healthPort?: number },
  { io, clock }: CliContext,
  { receiver, stops }: { readonly receiver: MeasuredReceiver; readonly stops: (() => unknown)[] },
) {
  const checks = new Readiness(async () => {
    const pauses = await inboxOf(receiver).pauses?.();
    return pauses === undefined ? [] : pauseLines(pauses, clock());
  });
  let open = false;
  checks.add({ name: "open", holds: () => open });
  const file = readyFile === undefined ? undefined : openReadyFile(resolve(io.cwd, readyFile));
  const health =
    healthPort === undefined ? undefined : await openHealth(healthPort, receiver, checks, stops);
  /**
   * Reports that everything is open; returns a function that withdraws this, to call before
   * anything is closed.
   */
  const announce = (fields: object) => {
    open = true;
    file?.write(fields);
    return () => {
      open = false;
      file?.remove();
    };
  };
  /** Reports changed fields, if readiness is still announced. */
  const update = (fields: object) => {
    if (open) file?.write(fields);
  };
  return { checks, announce, update, healthUrl: health?.url };
}

async function openHealth(
  port: number,
  receiver: MeasuredReceiver,
  readiness: Readiness,
  stops: (() => unknown)[],
): Promise<RunningServer> {
  const { collectForServing } = await import("./serve-metrics.ts");
  const metrics = collectForServing(receiver, readiness);
  stops.push(() => metrics.close());
  const server = await startHealthServer(port, { readiness, metrics });
  stops.push(() => server.close());
  return server;
}

/**
 * Whether the inbox stores deliveries: the last commit succeeded, and its file, which need not be
 * written to for that, still exists and is not locked. Otherwise, why not.
 */
export async function stores(receiver: Pick<Receiver, "inbox" | "refusing">) {
  if (receiver.refusing !== undefined) return receiver.refusing;
  await inboxOf(receiver).renew([], 0);
  return true;
}
