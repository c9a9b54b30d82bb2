import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { openStream } from "../../../src/service/stream/open-stream.ts";
import { ACKNOWLEDGE_HEADER } from "../../../src/service/stream/protocol.ts";
import type { StreamChange, StreamOptions } from "../../../src/service/stream/stream-options.ts";

/** Tries again at once. */
export const QUICK = { delay: 1, maxDelay: 5 };

/** A server of streams controlled by a test; with `acknowledged` it waits for acknowledgements. */
export async function openServer({ acknowledged = true, refuse = (): number => 0 } = {}) {
  const requests: IncomingMessage[] = [];
  const sockets: WebSocket[] = [];
  const answers: string[] = [];
  const server = createServer();
  const streams = new WebSocketServer({ noServer: true });
  streams.on("headers", (headers) => {
    if (acknowledged) headers.push(`${ACKNOWLEDGE_HEADER}: 1`);
  });
  server.on("upgrade", (request, socket, head) => {
    requests.push(request);
    const status = refuse();
    if (status === 0) {
      streams.handleUpgrade(request, socket, head, (opened) => {
        opened.on("message", (data) => answers.push(String(data))).on("error", () => {});
        sockets.push(opened);
      });
    } else
      socket.end(
        `HTTP/1.1 ${status} No\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    for (const socket of sockets) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(async () => void (await stop()));
  const { port } = server.address() as AddressInfo;
  const last = () => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error("no stream was opened");
    return socket;
  };
  return { url: new URL(`ws://127.0.0.1:${port}/stream`), requests, sockets, answers, last, stop };
}

/** A stream that records what it takes. It ends with the test. */
export async function open(options: Partial<StreamOptions> & Pick<StreamOptions, "url">) {
  const taken: string[] = [];
  const changes: StreamChange[] = [];
  const stream = openStream({
    token: () => "sk_test_of_the_stream",
    take: async (body) => {
      taken.push(Buffer.from(body).toString());
      return { status: 200 };
    },
    onChange: (change) => changes.push(change),
    retry: QUICK,
    ...options,
  });
  onTestFinished(() => stream.close());
  await stream.tried;
  return { stream, taken, changes, states: () => changes.map(({ state }) => state) };
}
