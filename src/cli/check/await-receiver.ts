import { setTimeout as wait } from "node:timers/promises";
import { HookporterError } from "../../base/errors.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { isIn } from "../../check/answer.ts";
import { exchange } from "../../check/wire.ts";

/** Milliseconds between two looks at a receiver that is not there yet. */
const AGAIN = 250;

interface Awaited {
  /** Milliseconds in which it must have answered. */
  readonly patience: number;
  /** Milliseconds for one answer. */
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly insecure: boolean;
}

/**
 * Waits until a receiver that is being started answers a GET with any status of its own: a proxy in
 * front of one that is not there answers 502, 503 or 504.
 *
 * @throws HookporterError `target_unreachable` if it does not
 */
export async function awaitReceiver(url: URL, { patience, ...terms }: Awaited): Promise<void> {
  const deadline = performance.now() + patience;
  const target = url.pathname + url.search;
  for (;;) {
    const left = Math.max(1, deadline - performance.now());
    const timeout = Math.min(terms.timeout, left);
    const headers = { host: url.host, ...terms.headers };
    const answer = await exchange(url, {
      ...terms,
      headers,
      method: "GET",
      target,
      body: [],
      timeout,
    });
    const isThere = answer.type === "status" || answer.type === "endless";
    if (isThere && !isIn(answer, ["502", "503", "504"])) return;
    if (performance.now() >= deadline) break;
    await wait(Math.min(AGAIN, Math.max(0, deadline - performance.now())));
  }
  throw new HookporterError(
    "target_unreachable",
    `expected an answer from ${shownUrl(url)} within ${durationText(patience)}, got none: start the receiver, or raise --wait`,
  );
}
