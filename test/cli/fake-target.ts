import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** An answer: a status, with a body, or none ever. */
export type TargetReply = number | { readonly status: number; readonly body: string } | "never";

/**
 * The user's app: sends each answer in turn, and then repeats the last one (200 by default).
 * Records requests; ends with the test.
 */
export function startReceiving(...replies: readonly TargetReply[]) {
  return startReceivingAt(0, ...replies);
}

/** The same, on a port on which it may have been before. */
export async function startReceivingAt(at: number | string, ...replies: readonly TargetReply[]) {
  const got: { readonly body: string; readonly signature: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({
      body: Buffer.concat(chunks).toString("utf8"),
      signature: request.headers["x-service-signature"],
    });
    give(response, replies[Math.min(got.length, replies.length) - 1] ?? 200);
  });
  await new Promise<void>((resolve) => server.listen(Number(at), "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in`,
    port,
    got,
    bodies: () => got.map(({ body }) => body),
    kinds: (): string[] => got.map(({ body }) => JSON.parse(body).event),
    close,
  };
}

/** A target that is away. */
export async function awayTarget(): Promise<{ readonly url: string }> {
  const target = await startReceiving();
  await target.close();
  return target;
}

function give(response: ServerResponse, reply: TargetReply): void {
  if (reply === "never") return;
  const { status, body } = typeof reply === "number" ? { status: reply, body: "" } : reply;
  response.writeHead(status).end(body);
}
