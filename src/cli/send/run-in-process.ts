import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { summarise } from "../../inspector/live/verdict.ts";
import { createReceiver } from "../../receiver/create-receiver.ts";
import type { Observation } from "../../receiver/observation.ts";
import type { Outcome } from "../../receiver/outcome.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { exactSending, freshSending } from "../../relay/replay.ts";
import { readSecrets } from "../../signature/secrets.ts";
import { sign } from "../../signature/sign.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { createCliLogger, withoutOutcomes } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import { errorText } from "../events/entry-view.ts";
import { consoleOnStderr } from "../handlers/console-on-stderr.ts";
import { watchExitCalls } from "../handlers/exit-calls.ts";
import { loadHandlers } from "../handlers/handlers-module.ts";
import { watchStrayErrors } from "../handlers/stray-errors.ts";
import { printable } from "../printable.ts";
import type { NamedFixture } from "./gather-fixtures.ts";
import { type Interruption, stopRunOnSignal } from "./interrupt.ts";

const CENTURY = 100 * 365 * 24 * 3_600_000;

/** The result of a fixture. */
interface Result {
  readonly state: "handled" | "received" | "duplicate" | "failed";
  readonly detail: string;
}

/**
 * Runs fixtures through handlers in this process, once each, without retries; sets exit code 1 if one failed. They pass
 * the same receiver as real deliveries, with an inbox in memory, signed with a secret created for this run.
 */
export async function runInProcess(
  fixtures: readonly NamedFixture[],
  { path, exact, timeout }: { path: string; exact: boolean; timeout: number | undefined },
  context: CliContext,
): Promise<void> {
  const { io, output, clock } = context;
  const secret = randomBytes(32).toString("base64url");
  const receiver = createReceiver({
    ...{ secret, inbox: "memory:", maxAge: CENTURY, retention: 2 * CENTURY, retry: { attempts: 1 } },
    ...(timeout !== undefined && { handlerTimeout: timeout }),
    log: withoutOutcomes(createCliLogger(output)),
  });
  const [signer] = readSecrets(secret);
  if (signer === undefined) return;
  const restoreConsole = consoleOnStderr(io);
  let stray = 0;
  const ignoreStray = watchStrayErrors(context, () => stray++);
  let failed = 0;
  let ended = 0;
  let current = "nothing";
  const consequence = () => `Interrupted: ${printable(current)}, after ${ended} of ${fixtures.length}`;
  const ignoreExits = watchExitCalls({ consequence }, context);
  let stopped = false;
  const reportStop = ({ reason, exitCode }: Interruption) => {
    context.exitCode = exitCode;
    output.talk(`${reason}: ${ended} of ${fixtures.length} replayed`);
    const counts = { total: fixtures.length, sent: ended, ok: ended - failed, new: null, duplicates: null };
    output.record("interrupted", { reason, exitCode, ...counts });
  };
  const interrupt = stopRunOnSignal(context, {
    stop: () => {
      stopped = true;
    },
    cut: (interruption) => {
      reportStop(interruption); // a handler cannot be ended
      io.exit(interruption.exitCode);
    },
    onEnd: reportStop,
  });
  try {
    receiver.replaceHandlers(await loadHandlers(io.cwd, path));
    await receiver.start();
    for (const { name, fixture } of fixtures) {
      if (stopped) break;
      current = name;
      const signing = { key: signer.key, header: SIGNATURE_HEADER, now: clock() };
      const { body } = exact ? exactSending(fixture, name) : freshSending(fixture, signing);
      const headers = { "content-type": "application/json", [SIGNATURE_HEADER]: sign(body, signer.key) };
      const result = await handle(receiver, { headers, body, receivedAt: clock() });
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

/** Accepts one delivery and waits for its handlers. */
async function handle(
  receiver: Receiver,
  delivery: { headers: Record<string, string>; body: Uint8Array; receivedAt: number },
): Promise<Result> {
  const seen: Observation[] = [];
  let wake = () => {};
  const stop = receiver.observe((observation) => {
    seen.push(observation);
    wake();
  });
  try {
    const outcome = await receiver.accept({ method: "POST", target: "/", ...delivery });
    if (outcome.type !== "accepted" || outcome.duplicate || outcome.entryState !== "waiting")
      return unrun(outcome);
    for (;;) {
      const attempt = seen.find((one) => one.type === "attempt" && one.seq === outcome.seq);
      if (attempt?.type === "attempt") {
        const { state, records } = attempt;
        if (state === "received") return { state, detail: "no handler for this kind" };
        const errors = records
          .filter(({ error }) => error !== null)
          .map((run) => `${run.handler}: ${errorText(run)}${run.failure?.at ? ` at ${run.failure.at}` : ""}`);
        return { state: state === "handled" ? "handled" : "failed", detail: errors.join("; ") };
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stop();
  }
}

function unrun(outcome: Outcome): Result {
  if (outcome.type === "accepted") {
    if (outcome.duplicate) return { state: "duplicate", detail: "same event as an earlier one" };
    const { reason, problems, entryState } = outcome;
    return {
      state: "failed",
      detail: problems ? `${reason}: ${summarise(problems)}` : (reason ?? entryState),
    };
  }
  if (outcome.type === "rejected") {
    const { reason, message, field } = outcome.rejection;
    return { state: "failed", detail: `${reason}: ${message}${field === undefined ? "" : ` (${field})`}` };
  }
  return { state: "failed", detail: outcome.type };
}
