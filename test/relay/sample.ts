import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Delivery } from "../../src/entries/index.ts";

/** The secret of the samples. */
export const SECRET = "relay-tests-secret-0123456789";

/** When saved deliveries arrived. */
export const AT = Date.UTC(2026, 0, 15, 10);

/** A saved delivery; omitted parts are the sample's. */
export function savedDelivery(parts: Partial<Delivery> = {}): Delivery {
  return {
    method: "POST",
    target: "/webhooks",
    headers: {
      "content-type": "application/json",
      "x-service-signature": `sha256=${"0".repeat(64)}`,
    },
    body: Buffer.from('{"event":"payment.received"}'),
    receivedAt: AT,
    ...parts,
  };
}

/** A request to a target. */
export interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** A user's server that records requests and sends the given answers; it ends with the test. */
export async function openTarget(
  answer: (response: ServerResponse, got: Got) => void = (response) => void response.end("ok"),
) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers, rawHeaders } = request;
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks) };
      got.push(one);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/hooks?a=b`), got, close };
}

/** The address of a port that was free on both families a moment ago. */
export async function closedAddress(): Promise<URL> {
  const { url, close } = await openTarget();
  await close();
  return url;
}
