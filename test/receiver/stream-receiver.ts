import type { Answer, BodyLimits, BodyResult, Receiver } from "../../src/entries/index.ts";

/** A request, as a server of your own has it. */
export interface StreamRequest {
  readonly method: string;
  /** The target as it was sent, with its query. */
  readonly target: string;
  /** By lowercase name; several values of one name as an array, or joined by commas. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Wraps a receiver for servers that have a body as a stream. */
export function streamReceiver(receiver: Receiver, path = "/webhooks") {
  return ({ method, target, headers, body }: StreamRequest): Promise<Answer> =>
    receiver.receive({
      method,
      target,
      headers,
      path,
      // Called only for a POST to the path, without compression.
      read: (limits) => readStream(body, Number(headers["content-length"] ?? 0), limits),
    });
}

/** Reads all bytes, never more than the limit and never longer than the timeout. */
async function readStream(
  body: AsyncIterable<Uint8Array>,
  announced: number,
  { limit, timeout }: BodyLimits,
): Promise<BodyResult> {
  if (announced > limit) return "too_large";
  const pieces: Uint8Array[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"too_slow">((resolve) => {
    timer = setTimeout(resolve, timeout, "too_slow");
  });
  // "for await" would end the connection before the answer
  const stream = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([stream.next(), late]);
      if (next === "too_slow") return next;
      if (next.done === true) return Buffer.concat(pieces);
      pieces.push(next.value);
      length += next.value.byteLength;
      if (length > limit) return "too_large";
    }
  } catch {
    return "aborted"; // the sender went away
  } finally {
    clearTimeout(timer);
  }
}
