import type { MeasuredReceiver } from "../../observe/metrics.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { type HealthServer, startHealthServer } from "./health-server.ts";
import { Readiness } from "./readiness.ts";

export interface OpenReadiness {
  /** The checks that must hold. */
  readonly checks: Readiness;
  /** Reports that everything is open; returns a function that withdraws this, to call before anything is closed. */
  readonly announce: () => () => void;
  /** The address of the health server. */
  readonly healthUrl: URL | undefined;
}

interface ReadinessParts {
  readonly receiver: MeasuredReceiver;
  /** The close functions of everything that is open. */
  readonly stops: (() => unknown)[];
}

/** Starts the health server before anything else is opened, so that an early request gets 503. */
export async function openReadiness(
  healthPort: number | undefined,
  { receiver, stops }: ReadinessParts,
): Promise<OpenReadiness> {
  const checks = new Readiness();
  let open = false;
  checks.add({ name: "open", holds: () => open });
  const health = healthPort === undefined ? undefined : await openHealth(healthPort, receiver, checks, stops);
  const announce = () => {
    open = true;
    return () => {
      open = false;
    };
  };
  return { checks, announce, healthUrl: health?.url };
}

async function openHealth(
  port: number,
  receiver: MeasuredReceiver,
  readiness: Readiness,
  stops: (() => unknown)[],
): Promise<HealthServer> {
  const { collectForServing } = await import("./serve-metrics.ts");
  const metrics = collectForServing(receiver, readiness);
  stops.push(() => metrics.close());
  const server = await startHealthServer(port, { readiness, metrics });
  stops.push(() => server.close());
  return server;
}

/**
 * Whether the inbox stores deliveries: the last commit succeeded, and its file, which need not be written to for that, still
 * exists and is not locked. Otherwise, why not.
 */
export async function stores({
  inbox,
  refusing,
}: Pick<Receiver, "inbox" | "refusing">): Promise<true | string> {
  if (refusing !== undefined) return refusing;
  await inbox.renew([], 0);
  return true;
}
