import { VERSION } from "../package/version.ts";
import type { EventLoopMonitor } from "./event-loop-delay.ts";
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
