import { createHmac } from "node:crypto";
import { respell, type STYLES } from "./own-json.ts";
import { type AtEnd, type ReceiverUnderTest, SECRET, serve } from "./under-test.ts";

/** How a receiver goes wrong; by default it does not. */
interface Fault {
  /** What it verifies. Default: the body. */
  readonly body?: (body: Buffer) => Buffer | string;
  readonly key?: string | Buffer;
  readonly header?: string;
  /** The value that it compares with. Default: `sha256=` and the digest. */
  readonly value?: (digest: Buffer) => string;
  /** The answer to a wrong signature. */
  readonly refusal?: number;
}

/**
 * A receiver that verifies signatures with a fault. It fails on what is not JSON as its language
 * would: with a 500.
 */
export async function refusing(fault: Fault, atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const { body: verified = (body) => body, key = SECRET, header = "x-service-signature" } = fault;
  const { value = (digest) => `sha256=${digest.toString("hex")}`, refusal = 401 } = fault;
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      const digest = createHmac("sha256", key)
        .update(verified(Buffer.concat(chunks)))
        .digest();
      response.writeHead(request.headers[header] === value(digest) ? 200 : refusal).end();
    } catch {
      response.writeHead(500).end();
    }
  }, atEnd);
  return { url };
}

/** Parses the body, and verifies what a language prints of it. */
export function reSerialiser(name: keyof typeof STYLES): Promise<ReceiverUnderTest> {
  return refusing({ body: (body) => respell(body.toString("utf8"), name) });
}
