import { monitorEventLoopDelay } from "node:perf_hooks";
import { VERSION } from "../package/version.ts";
import type { MetricSet } from "./metric-set.ts";

/** Registers what this process says about itself. */
export function addProcessGauges(
  set: MetricSet,
  receiver: { readonly ready: boolean },
  loop: EventLoopMonitor,
): void {
  set.gauge(
    "hookporter_info",
    "Always 1; the version is a label.",
    () => [{ labels: { version: VERSION }, value: 1 }],
    ["version"],
  );
  set.gauge("hookporter_ready", "Whether the receiver accepts deliveries: 1 or 0.", () => [
    { value: receiver.ready ? 1 : 0 },
  ]);
  set.gauge(
    "hookporter_event_loop_delay_seconds",
    "How late the event loop was since the scrape before: the median, 99 % and the most.",
    () => {
      const { p50, p99, max } = loop.read();
      return [
        { labels: { stat: "p50" }, value: p50 },
        { labels: { stat: "p99" }, value: p99 },
        { labels: { stat: "max" }, value: max },
      ];
    },
    ["stat"],
  );
}

const RESOLUTION_MS = 20;

/** How late the event loop was, in seconds, since the reading before. */
interface EventLoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures the delay of the event loop, from now until it is closed. */
export class EventLoopMonitor {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The delay since the last call. */
  read(): EventLoopDelay {
    const histogram = this.#histogram;
    // Node measures the time between two timers, which includes what they were set to.
    const delay = (ns: number) => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1000) || 0;
    const [p50, p99] = [delay(histogram.percentile(50)), delay(histogram.percentile(99))];
    const read = { p50, p99, max: histogram.count === 0 ? 0 : delay(histogram.max) };
    histogram.reset();
    return read;
  }

  close(): void {
    this.#histogram.disable();
  }
}
