import { isPromiseLike } from "../../base/guards.ts";
import { detach } from "../../base/try-or.ts";
import { callUser, type Report } from "../../base/user-calls.ts";
import type { AttemptTrace } from "../../dispatch/plan/attempt-tracing.ts";
import type { DeliveryTrace, Tracing } from "./tracing.ts";

/** What is followed runs once, and its result stays, whatever the tracing does. */
export function guardedTracing(tracing: Tracing, report: Report): Tracing {
  return {
    delivery: (delivery, source) => {
      const trace = made(() => tracing.delivery(delivery, source), report);
      if (trace === undefined) return { delivery, ...NOTHING };
      return { delivery: trace.delivery, ...guarded<DeliveryTrace>(trace, report) };
    },
    attempt: (entry) => {
      const trace = made(() => tracing.attempt(entry), report);
      return trace === undefined ? NOTHING : guarded<AttemptTrace>(trace, report);
    },
  };
}

type Follows = Pick<DeliveryTrace, "run">;

/** For what is not followed. */
const NOTHING: Follows & { readonly end: () => void } = { run: (call) => call(), end: () => {} };

function made<Trace>(make: () => Trace, report: Report): Trace | undefined {
  try {
    const trace = make();
    if (!isPromiseLike(trace)) return trace;
    detach(trace, report);
  } catch (thrown) {
    report(thrown);
  }
  return undefined;
}

function guarded<Trace extends Follows & { end(result: never): void }>(
  trace: Trace,
  report: Report,
) {
  return {
    run: <Result>(call: () => Result): Result => runOnce(trace, call, report),
    end: (result: Parameters<Trace["end"]>[0]) =>
      callUser(() => trace.end(result as never), report),
  };
}

/** Returns or throws what the call does. */
function runOnce<Result>(trace: Follows, call: () => Result, report: Report): Result {
  let end: { readonly result: Result } | { readonly thrown: unknown } | undefined;
  const once = (): Result => {
    if (end === undefined) {
      try {
        end = { result: call() };
      } catch (thrown) {
        end = { thrown };
      }
    }
    if ("thrown" in end) throw end.thrown;
    return end.result;
  };
  try {
    const result: unknown = trace.run(once);
    if (end === undefined) detach(result, report);
    // it may reject as the call does
    else if (!("result" in end) || end.result !== result) detach(result);
  } catch (thrown) {
    if (end === undefined || !("thrown" in end) || end.thrown !== thrown) report(thrown);
  }
  return once();
}
