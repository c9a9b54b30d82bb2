/** muxado's frames: eight bytes of head, then the payload. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export const RST = 0;
export const DATA = 1;
export const WINDOW = 2;
export const GOAWAY = 3;

export const FIN = 1;
export const SYN = 2;

const HEAD = 8;

/** A frame as bytes. */
export function encodeFrame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8((type << 4) | flags, 3);
  head.writeUInt32BE(stream, 4);
  return Buffer.concat([head, payload]);
}

/** A number as a payload. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Cuts a byte stream into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  *read(chunk: Buffer): Generator<Frame> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const rest = this.#rest;
      if (rest.length < HEAD) return;
      const end = HEAD + rest.readUIntBE(0, 3);
      if (rest.length < end) return;
      const kind = rest.readUInt8(3);
      this.#rest = rest.subarray(end);
      const stream = rest.readUInt32BE(4) & 0x7fffffff;
      yield { type: kind >> 4, flags: kind & 15, stream, payload: rest.subarray(HEAD, end) };
    }
  }
}
