import { randomBytes } from "node:crypto";
import type { Observation } from "../receiver/observation.ts";
import type { Outcome } from "../receiver/outcome.ts";
import { createReceiver, type Receiver } from "../receiver/receiver.ts";
import { exactSending, freshSending } from "../relay/replay.ts";
import { readSecrets } from "../signature/secrets.ts";
import { SIGNATURE_HEADER, sign } from "../signature/sign.ts";
import { createCliLogger } from "./cli-logger.ts";
import type { CliContext } from "./context.ts";
import type { NamedFixture } from "./gather-fixtures.ts";
import { loadHandlers } from "./handlers-module.ts";
import { printable } from "./printable.ts";

const CENTURY = 100 * 365 * 24 * 3_600_000;

/** How a fixture ended in this process. */
interface Result {
  readonly state: "done" | "unhandled" | "duplicate" | "failed";
  readonly detail: string;
}

/**
 * Runs fixtures through handlers in this process, once each, without a retry; sets exit code 1 if one failed. They pass
 * the same receiver as real deliveries, over an inbox in memory, signed with a secret made for this run.
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
    log: createCliLogger(output),
  });
  receiver.replaceHandlers(await loadHandlers(io.cwd, path));
  const [signer] = readSecrets(secret);
  if (signer === undefined) return;
  await receiver.start();
  let failed = 0;
  for (const { name, fixture } of fixtures) {
    const signing = { key: signer.key, header: SIGNATURE_HEADER, now: clock() };
    const { body } = exact ? exactSending(fixture, name) : freshSending(fixture, signing);
    const headers = { "content-type": "application/json", [SIGNATURE_HEADER]: sign(body, signer.key) };
    const result = await handle(receiver, { headers, body, receivedAt: clock() });
    if (result.state === "failed") failed++;
    const word = result.state === "failed" ? output.color.red("failed") : output.color.green(result.state);
    output.data(
      `${word} ${printable(name)}${result.detail === "" ? "" : `  ${printable(result.detail, 500)}`}`,
    );
    output.record("replay", { label: name, ...result });
  }
  await receiver.close();
  if (fixtures.length > 1) output.talk(`${fixtures.length} replayed, ${failed} failed`);
  if (failed > 0) context.exitCode = 1;
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
    if (outcome.type !== "accepted" || outcome.duplicate || outcome.entryState !== "pending")
      return unrun(outcome);
    for (;;) {
      const attempt = seen.find((one) => one.type === "attempt" && one.seq === outcome.seq);
      if (attempt?.type === "attempt") {
        const { state, records } = attempt;
        if (state === "unhandled") return { state, detail: "no handler for this kind" };
        const errors = records.flatMap(({ handler, error }) =>
          error === null ? [] : [`${handler}: ${error}`],
        );
        return { state: state === "done" ? "done" : "failed", detail: errors.join("; ") };
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
    if (outcome.duplicate) return { state: "duplicate", detail: "the same event as one before" };
    return { state: "failed", detail: outcome.reason ?? outcome.entryState };
  }
  if (outcome.type === "rejected") return { state: "failed", detail: outcome.rejection.reason };
  return { state: "failed", detail: outcome.type };
}
