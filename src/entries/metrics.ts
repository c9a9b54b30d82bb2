/**
 * `hookporter/metrics`: what a receiver does, seen from outside: metrics for Prometheus, alerts,
 * and events that begin to differ. `collectMetrics` needs the package `prom-client`, version 15.
 */
import { addMetrics, type MeasuredReceiver, type MetricsOptions } from "../observe/metrics.ts";

export { watchDrift } from "../cli/types/drift.ts";
export type { Alert } from "../observe/alert.ts";
export type { PromClient } from "../observe/metric-set.ts";
export type { MeasuredReceiver, MetricsOptions } from "../observe/metrics.ts";
export { type AlertOptions, watchAlerts } from "../observe/watch-alerts.ts";

/**
 * Registers the metrics of a receiver; returns a function that removes them. The inbox is read when
 * Prometheus asks, at most about 1 % of the time. `docs/metrics.md` lists all metrics, and has a
 * dashboard and alert rules.
 *
 * @throws ConfigurationError `option_invalid` if an option is wrong, `prom-client` is not
 * installed, or the registry has the metrics of another receiver
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { collectMetrics } from "hookporter/metrics";
 * import { register } from "prom-client";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * collectMetrics(receiver);
 * await receiver.start();
 *
 * console.log(await register.metrics()); // serve it at /metrics, with register.contentType
 * ```
 */
export function collectMetrics(
  receiver: MeasuredReceiver,
  options: MetricsOptions = {},
): () => void {
  return addMetrics(receiver, options);
}
