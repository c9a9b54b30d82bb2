import { closeSync, openSync, writeSync } from "node:fs";
import { bodySource } from "../events.ts";

/** How a request carries its signature: as the service sends it, or as GitHub does. */
export type Dialect = "service" | "github";

/** Whole HTTP requests in one file, each as long as the others, so that a load generator can take the nth. */
export interface RequestFile {
  readonly path: string;
  /** Bytes of one request. */
  readonly length: number;
  /** Bytes of one request's body, its last ones. */
  readonly bodyLength: number;
  readonly count: number;
}

const AT_A_TIME = 500;

/** Writes a request file: distinct signed bodies, dated from `from` on. */
export function writeRequestFile(
  path: string,
  { size, count, from, dialect }: { size: number; count: number; from: number; dialect: Dialect },
): RequestFile {
  const bodyOf = bodySource(size, from);
  const file = openSync(path, "w");
  let length = 0;
  try {
    for (let index = 0; index < count; ) {
      const some: Buffer[] = [];
      for (const end = Math.min(count, index + AT_A_TIME); index < end; index++) {
        const { body, signature } = bodyOf(index);
        const head = Buffer.from(headOf(dialect, signature, body.byteLength, index), "latin1");
        length = head.byteLength + body.byteLength;
        some.push(head, body);
      }
      writeSync(file, Buffer.concat(some));
    }
  } finally {
    closeSync(file);
  }
  return { path, length, bodyLength: size, count };
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
