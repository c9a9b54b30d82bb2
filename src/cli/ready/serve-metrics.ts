import * as client from "prom-client";
import { metricSet } from "../../observe/metric-set.ts";
import { addMetrics, type MeasuredReceiver } from "../../observe/metrics.ts";
import type { Readiness } from "./readiness.ts";

export type ServedMetrics = ReturnType<typeof collectForServing>;

/** Collects metrics; `read` resolves with the text for a scrape. */
export function collectForServing(receiver: MeasuredReceiver, checks: Readiness) {
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const stop = addMetrics(receiver, { client, registry });
  metricSet(client, registry).gauge(
    "hookporter_part_up",
    "Whether each part holds that /readyz checks, such as the tunnel: 1 or 0.",
    async () => {
      const { checks: parts } = await checks.ask();
      return Object.entries(parts).map(([part, holds]) => ({
        labels: { part },
        value: holds ? 1 : 0,
      }));
    },
    ["part"],
  );
  return { contentType: registry.contentType, read: () => registry.metrics(), close: stop };
}
