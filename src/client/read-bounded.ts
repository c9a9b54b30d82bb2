/** Reads a decompressed response; returns `undefined` if it exceeds the limit, without fetching the rest. */
export async function readBounded(response: Response, limit: number): Promise<Buffer | undefined> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream, which closes the connection instead of reading it to the end.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
