/** The bytes of an answer, unpacked; `undefined` when they are more than allowed, and the rest is not fetched. */
export async function readBounded(response: Response, limit: number): Promise<Buffer | undefined> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream, so that its connection is closed and not read to the end.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
