import { type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/** Takes the raw body, but compares loosely: the digest has to be at the end, whatever stands before it. */
export async function endsWith(): Promise<ReceiverUnderTest> {
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const digest = rightSignature(Buffer.concat(chunks)).slice("sha256=".length);
    const given = String(request.headers["x-service-signature"] ?? "").toLowerCase();
    response.writeHead(given.endsWith(digest) ? 200 : 403).end();
  });
  return { url };
}
