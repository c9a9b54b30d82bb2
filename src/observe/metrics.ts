/**
 * What receivers tell observers comes in, and figures of the inbox. Metrics, spans and alerts go
 * out. An observer that fails changes no answer and no entry.
 */

import type { Registry } from "prom-client";
import {
  anyFunction,
  checkedElsewhere,
  checkOptions,
  invalidOption,
} from "../base/options/check-options.ts";
import { findPackage, requirePackage } from "../base/package/own-address.ts";
import { VERSION } from "../base/package/version.ts";
import { numberFrom, reportAsWarning } from "../base/user-calls.ts";
import { viewedBy } from "../receiver/inbox-view.ts";
import type { Observation } from "../receiver/observation.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { countingDead, countingDeliveries, countingDrift, countingRuns } from "./counted.ts";
import { figureReader } from "./inbox-figures.ts";
import { addInboxGauges } from "./inbox-gauges.ts";
import { metricSet, type PromClient } from "./metric-set.ts";

/** What metrics are collected of. */
export type MeasuredReceiver = Pick<Receiver, "observe" | "onDrift" | "inbox" | "ready">;

/** Where metrics are registered. */
export interface MetricsOptions {
  /**
   * The registry, with the metrics of no other receiver. Default: prom-client's own, `register`.
   */
  readonly registry?: Registry | undefined;
  /**
   * What `import * as client from "prom-client"` returns, for a bundle. Default: the installed
   * package.
   */
  readonly client?: PromClient | undefined;
  /**
   * Milliseconds since 1970, for the age of the oldest due entry. Default: the inbox's clock, or
   * `Date.now`.
   */
  readonly clock?: (() => number) | undefined;
}

const CHECKS = {
  registry: checkedElsewhere,
  client: checkedElsewhere,
  clock: anyFunction("pass one"),
};

/** Registers a receiver's metrics; returns a function that removes them. */
export function addMetrics(receiver: MeasuredReceiver, options: MetricsOptions = {}): () => void {
  checkOptions(options, "the options of collectMetrics", CHECKS);
  const { client = loadPromClient(), registry = client.register, clock } = options;
  if (registry.getSingleMetric("hookporter_ready") !== undefined) {
    throw invalidOption(
      "expected a registry without the metrics of another receiver, got one that has them: pass a registry for each receiver",
    );
  }
  const set = metricSet(client, registry);
  const dead = countingDead(set);
  const countDelivery = countingDeliveries(set, dead);
  const countRun = countingRuns(set, dead);
  const count = (observation: Observation) => {
    if (observation.type === "delivery") countDelivery(observation);
    else if (observation.type === "attempt") countRun(observation);
  };
  const commits = set.histogram(
    "hookporter_commit_duration_seconds",
    "Time of a commit of the inbox.",
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );
  const { store: inbox, commits: commitTimes } = viewedBy(receiver);
  const inboxClock = () => inbox.now ?? Date.now();
  const now =
    clock === undefined
      ? inboxClock
      : numberFrom(clock, inboxClock, reportAsWarning("clock of collectMetrics"));
  addInboxGauges(set, figureReader(inbox), now);
  set.gauge(
    "hookporter_info",
    "Always 1; the version is a label.",
    () => [{ labels: { version: VERSION }, value: 1 }],
    ["version"],
  );
  set.gauge("hookporter_ready", "Whether the receiver accepts deliveries: 1 or 0.", () => [
    { value: receiver.ready ? 1 : 0 },
  ]);
  const ends = [
    receiver.observe(count),
    receiver.onDrift(countingDrift(set)),
    commitTimes.add((ms) => commits.observe({}, ms / 1000)),
    () => set.remove(),
  ];
  return () => {
    for (const end of ends.splice(0)) end();
  };
}

/**
 * The package as installed here or in the working folder. @throws ConfigurationError
 * `option_invalid` if it is not
 */
function loadPromClient(): PromClient {
  const found = findPackage("prom-client");
  if (found !== undefined) return requirePackage(found) as PromClient;
  throw invalidOption(
    "expected the package prom-client to be installed for metrics, got none: run npm i prom-client, " +
      'or in a bundle pass client: import * as client from "prom-client"',
  );
}
