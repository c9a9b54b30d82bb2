import { setImmediate as turn } from "node:timers/promises";
import { MAX_TIMER } from "../../base/options/check-options.ts";
import { summarise } from "../../inspector/live/verdict.ts";
import { exactSending, unsignedSending } from "../../relay/replay.ts";
import { createTestReceiver, type Delivered } from "../../testing/test-receiver.ts";
import { createCliLogger, loggerWithout } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import { errorText } from "../events/entry-view.ts";
import { consoleOnStderr } from "../handlers/console-on-stderr.ts";
import { watchExitCalls } from "../handlers/exit-calls.ts";
import { loadHandlers } from "../handlers/handlers-module.ts";
import { watchStrayErrors } from "../handlers/stray-errors.ts";
import { printable } from "../output.ts";
import type { NamedFixture } from "./gather-fixtures.ts";
import { type Interruption, stopRunOnSignal } from "./interrupt.ts";

const CENTURY = 100 * 365 * 24 * 3_600_000;

interface Result {
  readonly state: "handled" | "received" | "duplicate" | "failed";
  readonly detail: string;
}

/**
 * Runs fixtures through handlers in this process, once each, without retries; sets exit code 1 if
 * one failed. They pass the same receiver as real deliveries, with an inbox in memory.
 */
export async function runInProcess(
  fixtures: readonly NamedFixture[],
  { path, exact, timeout }: { path: string; exact: boolean; timeout: number | undefined },
  context: CliContext,
): Promise<void> {
  const { io, output, clock } = context;
  const receiver = await createTestReceiver({
    maxAge: CENTURY,
    retention: 2 * CENTURY,
    retry: { attempts: 1 },
    handlerTimeout: timeout,
    log: loggerWithout(["outcome"], createCliLogger(output)),
  });
  const restoreConsole = consoleOnStderr(io);
  let stray = 0;
  const ignoreStray = watchStrayErrors(context, () => stray++);
  let failed = 0;
  let ended = 0;
  let current = "nothing";
  const consequence = () =>
    `Interrupted: ${printable(current)}, after ${ended} of ${fixtures.length}`;
  const ignoreExits = watchExitCalls(context, consequence);
  let stopped = false;
  const reportStop = ({ reason, exitCode }: Interruption) => {
    context.exitCode = exitCode;
    output.talk(`${reason}: ${ended} of ${fixtures.length} replayed`);
    const counts = {
      total: fixtures.length,
      sent: ended,
      ok: ended - failed,
      new: null,
      duplicates: null,
    };
    output.record("interrupted", { reason, exitCode, ...counts });
  };
  const interrupt = stopRunOnSignal(context, {
    stop: () => (stopped = true),
    cut: (interruption) => {
      reportStop(interruption); // a handler cannot be ended
      io.exit(interruption.exitCode);
    },
    onEnd: reportStop,
  });
  try {
    receiver.replaceHandlers(await loadHandlers(io.cwd, path));
    for (const { name, fixture } of fixtures) {
      if (stopped) break;
      current = name;
      const { body } = exact ? exactSending(fixture, name) : unsignedSending(fixture, clock());
      const result = resultOf(await receiver.deliver(body, { timeout: MAX_TIMER }));
      if (result.state === "failed") failed++;
      show(name, result, context);
      ended++;
    }
    await turn(); // Node reports an unhandled rejection only at the end of the turn
  } finally {
    interrupt.done();
    await receiver.close();
    ignoreExits();
    ignoreStray();
    restoreConsole();
  }
  if (interrupt.reason !== undefined) return reportStop(interrupt.reason);
  const strayErrors =
    stray === 0 ? "" : `, ${stray} error${stray === 1 ? "" : "s"} outside any awaited handler`;
  if (fixtures.length > 1 || stray > 0)
    output.talk(`${fixtures.length} replayed, ${failed} failed${strayErrors}`);
  if (failed > 0 || stray > 0) context.exitCode = 1;
}

function show(name: string, result: Result, { output }: CliContext): void {
  const { color } = output;
  const word = result.state === "failed" ? color.red("failed") : color.green(result.state);
  const detail = result.detail === "" ? "" : `  ${printable(result.detail, 500)}`;
  output.data(`${word} ${printable(name)}${detail}`);
  output.record("replay", { label: name, ...result });
}

function resultOf({ outcome, state, reason, problems, attempts }: Delivered): Result {
  if (outcome.type === "rejected") {
    const { message, field } = outcome.rejection;
    return {
      state: "failed",
      detail: `${reason}: ${message}${field === undefined ? "" : ` (${field})`}`,
    };
  }
  if (outcome.type === "accepted" && outcome.duplicate)
    return { state: "duplicate", detail: "same event as an earlier one" };
  if (state === "received") return { state, detail: "no handler for this kind" };
  const errors = attempts
    .filter(({ error }) => error !== null)
    .map(
      (run) => `${run.handler}: ${errorText(run)}${run.failure?.at ? ` at ${run.failure.at}` : ""}`,
    );
  if (state === "handled") return { state, detail: errors.join("; ") };
  const unfit =
    problems.length === 0 ? (reason ?? outcome.type) : `${reason}: ${summarise(problems)}`;
  return { state: "failed", detail: errors.length === 0 ? unfit : errors.join("; ") };
}
