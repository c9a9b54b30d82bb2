import { isBytes } from "../base/guards.ts";
import type { HeldBody } from "./body-budget.ts";
import { BodyPieces } from "./body-pieces.ts";
import { alreadyRead, type BodyFailure, type CountedLimits } from "./read-body.ts";

const PASS_FIRST = "pass the request on before request.json(), text() or formData() is called";

/** Either of the two kinds of reading that can end: a chunk, or the reason why no more are read. */
type Next = { readonly done: boolean; readonly value?: unknown } | BodyFailure;

/**
 * Reads the raw bytes of a `Request` under the same limits as those of a Node request. Whatever is
 * left of a body that is too large or too slow is cancelled.
 *
 * @throws ConfigurationError `body_already_parsed` if other code has read part of the body
 */
export async function readWebBody(request: Request, { limit, timeout, budget }: CountedLimits) {
  if (request.bodyUsed || request.body?.locked === true) throw alreadyRead(PASS_FIRST);
  if (request.body === null) return new Uint8Array(0);
  if (Number(request.headers.get("content-length") ?? 0) > limit) {
    // not awaited: a sender that stalls would hold the answer back
    request.body.cancel().catch(() => {});
    return "too_large";
  }
  const reader = request.body.getReader();
  const pieces = new BodyPieces(budget?.blocks);
  let held: HeldBody | undefined;
  let end: (why: BodyFailure) => void = () => {};
  const ended = new Promise<BodyFailure>((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(() => end("too_slow"), timeout);
  const signal = request.signal as AbortSignal | undefined; // those of Azure Functions have none
  const onAbort = () => end("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  const fail = (why: BodyFailure) => {
    reader.cancel().catch(() => {}); // not awaited either
    return why;
  };
  try {
    if (signal?.aborted) return fail("aborted");
    for (;;) {
      const next: Next = await Promise.race([
        reader.read().catch((): BodyFailure => "aborted"),
        ended,
      ]);
      if (typeof next === "string") return fail(next);
      if (next.done) return pieces.join();
      // a stream of other code's
      if (!isBytes(next.value)) throw alreadyRead(PASS_FIRST);
      if (pieces.length + next.value.byteLength > limit) return fail("too_large");
      pieces.add(next.value);
      held ??= budget?.open(() => end("stalled"));
      if (held?.grow(next.value.byteLength, pieces.capacity) === false) return fail("overloaded");
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    held?.release();
    pieces.release();
  }
}
