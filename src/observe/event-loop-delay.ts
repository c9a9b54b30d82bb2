import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 20;

/** How late the event loop was, in seconds, since the reading before. */
export interface EventLoopDelay {
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
