import { closeSync, openSync, writeSync } from "node:fs";
import { bodySource, type SignedBody } from "../events.ts";

/** How a request carries its signature: as the service sends it, or as GitHub does. */
export type Dialect = "service" | "github";

/**
 * Complete HTTP requests of equal length in one file, so that a load generator can seek to the nth.
 */
export interface Requests {
  readonly path: string;
  /** Bytes of one request. */
  readonly length: number;
  /** Bytes of one request's body, its last ones. */
  readonly bodyLength: number;
  readonly count: number;
}

const AT_A_TIME = 500;

/** A file of requests with distinct signed bodies, which grows as needed. */
export class RequestFile {
  readonly path: string;
  readonly #size: number;
  readonly #dialect: Dialect;
  readonly #bodyOf: (index: number) => SignedBody;
  #count = 0;
  #length = 0;

  /** @param from - the timestamp of the first event, milliseconds since 1970 */
  constructor(
    path: string,
    { size, dialect, from }: { size: number; dialect: Dialect; from: number },
  ) {
    this.path = path;
    this.#size = size;
    this.#dialect = dialect;
    this.#bodyOf = bodySource(size, from);
  }

  /** Bytes that were written so far. */
  get bytes(): number {
    return this.#count * this.#length;
  }

  /** Adds requests until the file has `count`. */
  upTo(count: number): Requests {
    if (count > this.#count) {
      const file = openSync(this.path, "a");
      try {
        while (this.#count < count)
          writeSync(file, this.#next(Math.min(AT_A_TIME, count - this.#count)));
      } finally {
        closeSync(file);
      }
    }
    return { path: this.path, length: this.#length, bodyLength: this.#size, count: this.#count };
  }

  #next(count: number): Buffer {
    const some: Buffer[] = [];
    for (const end = this.#count + count; this.#count < end; this.#count++) {
      const { body, signature } = this.#bodyOf(this.#count);
      const head = Buffer.from(
        headOf(this.#dialect, signature, body.byteLength, this.#count),
        "latin1",
      );
      this.#length = head.byteLength + body.byteLength;
      some.push(head, body);
    }
    return Buffer.concat(some);
  }
}

function headOf(dialect: Dialect, signature: string, length: number, index: number): string {
  const own =
    dialect === "service"
      ? [`x-service-signature: ${signature}`]
      : [
          `X-Hub-Signature-256: ${signature}`,
          "X-GitHub-Event: ping",
          `X-GitHub-Delivery: ${String(index).padStart(10, "0")}`,
        ];
  const lines = [
    "POST /webhooks HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    ...own,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}
