import type { Registry } from "prom-client";
import { withTimeout } from "../base/with-timeout.ts";

/** What is used of prom-client, which the caller imports. */
export type PromClient = Pick<
  typeof import("prom-client"),
  "Counter" | "Gauge" | "Histogram" | "register"
>;

/**
 * The longest that a gauge keeps a scrape waiting, in milliseconds: Prometheus waits 10 seconds.
 */
const MAX_WAIT = 3000;

/** The values of a gauge: one for each set of labels. */
export type Samples<Label extends string = never> = readonly {
  readonly value: number;
  readonly labels?: Readonly<Record<Label, string>>;
}[];

export type MetricSet = ReturnType<typeof metricSet>;

/** The metrics that are registered together, and removed together. */
export function metricSet(client: PromClient, registry: Registry) {
  const names: string[] = [];
  const terms = (name: string, help: string) => {
    names.push(name);
    return { name, help, registers: [registry] };
  };
  return {
    counter: <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[] = [],
    ) => new client.Counter<Label>({ ...terms(name, help), labelNames }),

    /** @param buckets - upper bounds in seconds */
    histogram: <Label extends string>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly Label[] = [],
    ) => new client.Histogram<Label>({ ...terms(name, help), buckets, labelNames }),

    /**
     * A gauge that is read on each scrape. If reading fails, or takes too long, it has no values.
     */
    gauge: <Label extends string = never>(
      name: string,
      help: string,
      read: () => Samples<Label> | Promise<Samples<Label>>,
      labels: readonly Label[] = [],
    ): void => {
      const gauge = new client.Gauge({
        ...terms(name, help),
        labelNames: labels,
        collect: async () => {
          const samples = await withTimeout(Promise.resolve().then(read), MAX_WAIT, () => []).catch(
            () => [],
          );
          gauge.reset();
          if (labels.length === 0) gauge.remove(); // the 0 that it has after a reset
          for (const { value, labels: own = {} } of samples) gauge.set(own, value);
        },
      });
    },

    /** Takes all of them out of the registry. */
    remove: () => {
      for (const name of names.splice(0)) registry.removeSingleMetric(name);
    },
  };
}
