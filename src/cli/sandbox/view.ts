import { shownUrl } from "../../base/text/shown-url.ts";
import type {
  RequestObservation,
  SandboxAttemptObservation,
  SandboxObservation,
  SubscriptionObservation,
} from "../../service/sandbox/observation.ts";
import { clockTime } from "../live/row.ts";
import { type Output, printable } from "../output.ts";

/** Prints what happened in a sandbox: one line, and one more if a delivery failed. */
export function showInSandbox(observation: SandboxObservation, output: Output, now: number): void {
  const time = output.color.dim(clockTime(now));
  if (observation.type === "request") showRequest(observation, output, time);
  else if (observation.type === "subscription") showSubscription(observation, output, time);
  else if (observation.type === "attempt") showSandboxAttempt(observation, output, { time, now });
  else if (observation.type === "stream") {
    const { change, open } = observation;
    output.data(`${time}  stream ${change}  ${output.color.dim(`${open} open`)}`);
    output.record("streams", { change, open });
  } else {
    const { duration } = observation;
    output.data(
      `${time}  ${output.color.yellow(`outage: nothing gets through for ${duration} ms`)}`,
    );
    output.record("outage", { duration });
  }
}

function showRequest(
  { method, target, status, duration }: RequestObservation,
  { color, data, record }: Output,
  time: string,
): void {
  const paint = status < 400 ? color.green : color.red;
  const what = printable(`${method} ${target}`, 100);
  data(`${time}  ${what}  ${paint(status)}  ${color.dim(`${duration} ms`)}`);
  record("request", { method, target, status, duration });
}

function showSubscription(
  { change, subscription }: SubscriptionObservation,
  { color, data, record }: Output,
  time: string,
): void {
  const { id, url, events, signed } = subscription;
  const kinds = `${events.length} kind${events.length === 1 ? "" : "s"}`;
  const unsigned = signed ? "" : color.yellow("  no secret: deliveries are unsigned");
  data(
    `${time}  subscription ${id} ${change}  ${printable(shownUrl(url))}  ${color.dim(kinds)}${unsigned}`,
  );
  record("registration", { change, id, url: shownUrl(url), events, signed });
}

function showSandboxAttempt(
  { delivery, attempt: made }: SandboxAttemptObservation,
  { color, data, record }: Output,
  { time, now }: { time: string; now: number },
): void {
  const { id, event, timestamp, webhook, state, copyOf, nextAttemptAt } = delivery;
  const { attempt, status, error, duration, chaos } = made;
  const word = error === null ? color.green("delivered") : color.red(status ?? "no answer");
  const marks = [...(copyOf === null ? [] : [`copy of ${copyOf}`]), ...chaos];
  const marked = marks.length === 0 ? "" : color.yellow(`  ${marks.join(", ")}`);
  const how = color.dim(`attempt ${attempt} ${duration} ms`);
  data(`${time}  ${event.padEnd(20)}  ${id}  ${word}  ${how}${marked}`);
  if (error !== null) {
    const wait = nextAttemptAt === null ? undefined : Math.max(0, Date.parse(nextAttemptAt) - now);
    const next = wait === undefined ? "given up" : `retrying in ${wait} ms`;
    data(`          ${printable(shownUrl(webhook.url))}: ${printable(error, 300)}; ${next}`);
  }
  const to = { ...webhook, url: shownUrl(webhook.url) };
  const attempted = { attempt, status, error, duration, chaos };
  record("outgoing", {
    id,
    event,
    timestamp,
    webhook: to,
    ...attempted,
    state,
    copyOf,
    nextAttemptAt,
  });
}
