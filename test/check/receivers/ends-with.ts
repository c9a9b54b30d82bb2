import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * Reads the raw body, but compares loosely: only the end of the header value must be the digest.
 */
export async function endsWith(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const digest = rightSignature(Buffer.concat(chunks)).slice("sha256=".length);
    const given = String(request.headers["x-service-signature"] ?? "").toLowerCase();
    response.writeHead(given.endsWith(digest) ? 200 : 403).end();
  }, atEnd);
  return { url };
}
