/** Bodies in one buffer. It is never empty: Node's own SQLite takes an empty view of an empty buffer for NULL. */
export function joinBodies(bodies: readonly Uint8Array[]): ArrayBuffer {
  const length = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const joined = new Uint8Array(Math.max(1, length));
  let at = 0;
  for (const body of bodies) {
    joined.set(body, at);
    at += body.byteLength;
  }
  return joined.buffer;
}

/** Takes one body after another from a joined buffer. */
export class Bodies {
  readonly #joined: ArrayBuffer;
  #at = 0;

  constructor(joined: ArrayBuffer) {
    this.#joined = joined;
  }

  /** The next body, as a view. */
  take(length: number): Uint8Array {
    const body = new Uint8Array(this.#joined, this.#at, length);
    this.#at += length;
    return body;
  }
}
