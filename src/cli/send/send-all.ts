import { setTimeout as wait } from "node:timers/promises";
import { HookporterError } from "../../errors.ts";
import type { Disturbance, Disturbed, Sendable } from "../../relay/chaos.ts";
import { send } from "../../relay/send.ts";
import { shownUrl } from "../../shown-url.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../printable.ts";
import { startProgress } from "./progress.ts";

/**
 * Sends deliveries one after another when they are due, reports each answer, and sets exit code 1 if one was not 2xx.
 *
 * @throws HookporterError `target_unreachable` for the first one without any answer
 */
export async function sendAll(
  deliveries: readonly Disturbed<Sendable>[],
  { target, timeout }: { target: URL; timeout: number | undefined },
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const progress = await startProgress(deliveries.length, context);
  const start = performance.now();
  let failed = 0;
  let sent = 0;
  let dropped = 0;
  try {
    for (const [index, { item, at, chaos }] of deliveries.entries()) {
      const early = at - (performance.now() - start);
      if (early > 0) await wait(early);
      const { label, query, headers, body } = item;
      if (chaos === "drop") {
        dropped++;
        if (!progress.shown) output.data(output.color.dim(`dropped ${printable(label)}`));
        output.record("dropped", { label, at });
        progress.advance();
        continue;
      }
      const answering = send({ target, query, headers, body, ...(timeout !== undefined && { timeout }) });
      void deliveries[index + 1]?.item.body; // prepared while the target works on this one
      const answer = await answering;
      sent++;
      if (!answer.ok) failed++;
      if (!answer.ok || !progress.shown) output.data(answerLine(nameOf(label, chaos), answer, context));
      const { status, durationMs, ok } = answer;
      output.record("answer", {
        label,
        url: shownUrl(target),
        status,
        ok,
        durationMs,
        chaos,
        body: answer.body.slice(0, 2000),
      });
      progress.advance();
    }
  } catch (thrown) {
    if (!(thrown instanceof HookporterError) || deliveries.length === 1) throw thrown;
    throw new HookporterError(
      thrown.code,
      `${thrown.message} (${sent} of ${deliveries.length} were sent before)`,
    );
  } finally {
    progress.end();
  }
  const lost = dropped === 0 ? "" : `, ${dropped} dropped`;
  if (deliveries.length > 1)
    output.talk(`${sent} sent, ${sent - failed} answered 2xx, ${failed} did not${lost}`);
  if (failed > 0) context.exitCode = 1;
}

function nameOf(label: string, chaos: Disturbance): string {
  if (chaos === null) return label;
  return `${label} (${chaos === "no_signature" ? "no signature" : `${chaos} tampered with`})`;
}

function answerLine(
  label: string,
  answer: { status: number; ok: boolean; durationMs: number; body: string },
  { output: { color } }: CliContext,
): string {
  const status = answer.ok ? color.green(answer.status) : color.red(answer.status);
  const body = answer.body.trim() === "" ? "(empty body)" : answer.body.trim();
  return `${status} ${printable(label)} ${answer.durationMs} ms  ${printable(body, 300)}`;
}
