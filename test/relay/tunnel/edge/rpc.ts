import type { MuxStream } from "./muxado.ts";

/** The kinds of stream, by their first four bytes. */
export const AUTH = 0;
export const BIND = 1;
export const UNBIND = 2;
export const PROXY = 3;
export const STOP = 5;
export const HEARTBEAT = 0xffffffff;

/** A request or an answer of the session's own protocol. */
// biome-ignore lint/suspicious/noExplicitAny: third-party JSON, read by name
export type Message = Record<string, any>;

/** The kind of a stream that the client opened, and what follows. */
export async function readKind(stream: MuxStream): Promise<{ kind: number; rest: Buffer }> {
  let head = Buffer.alloc(0);
  while (head.length < 4) head = Buffer.concat([head, await nextChunk(stream)]);
  return { kind: head.readUInt32BE(0), rest: head.subarray(4) };
}

/** A request: a bare JSON object without a length or an end, so it is read until it parses. */
export async function readMessage(stream: MuxStream, start: Buffer): Promise<Message> {
  for (let text = start; ; text = Buffer.concat([text, await nextChunk(stream)])) {
    try {
      return JSON.parse(text.toString("utf8"));
    } catch {
      // Incomplete so far.
    }
  }
}

function nextChunk(stream: MuxStream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    stream.once("data", (chunk: Buffer) => {
      stream.pause();
      resolve(chunk);
    });
    stream.once("close", () => reject(new Error("closed")));
    stream.resume();
  });
}

/** The head of a Proxy stream. */
export function proxyHead(message: Message): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(12);
  head.writeUInt32BE(PROXY, 0);
  head.writeBigInt64LE(BigInt(json.length), 4);
  return Buffer.concat([head, json]);
}
