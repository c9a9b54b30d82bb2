import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** The secret of every receiver here. */
export const SECRET = "check-tests-secret-0123456789abcdef";

/** A receiver that runs until the test ends, and, if it can be observed, how often an event ran. */
export interface ReceiverUnderTest {
  readonly url: URL;
  /** The `--observe` URL. */
  readonly observe?: string;
}

/**
 * Registers what ends with the test: vitest's `onTestFinished`, of its own context if tests run at
 * once.
 */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** Starts a receiver, which ends with the test. */
export type StartReceiver = (atEnd?: AtEnd) => Promise<ReceiverUnderTest>;

/** The correct header value for a text or bytes. */
export function rightSignature(body: string | Uint8Array): string {
  return `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
}

/** A request listener of Node's, or an Express app. */
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Listens until the test ends. A listener that rejects ends its connection, where a separate
 * process would crash.
 */
export async function serve(listener: Listener, atEnd: AtEnd = onTestFinished): Promise<URL> {
  const server = createServer(async (request, response) => {
    try {
      await listener(request, response);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
}
