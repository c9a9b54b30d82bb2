import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiError, errorBody, invalid } from "./api-error.ts";
import { checkKey } from "./api-key.ts";
import { notFound } from "./app.ts";
import { checkLocal } from "./local-only.ts";
import type { StreamServer } from "./stream-server.ts";

/** The path of the stream. The description shows no address, so it is the sandbox's own. */
export const STREAM_PATH = "/_sandbox/stream";

export interface UpgradeParts {
  readonly stream: StreamServer;
  /** The only API key to accept; `undefined` accepts every test key. */
  readonly apiKey: string | undefined;
  readonly port: number;
  readonly inOutage: () => boolean;
}

export function openStreamsOn(server: Server, { stream, apiKey, port, inOutage }: UpgradeParts): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (inOutage()) return socket.destroy();
    const { headers } = request;
    const refused =
      checkLocal(headers, port) ?? checkTarget(request) ?? checkKey(headers.authorization, apiKey);
    if (refused === undefined) stream.accept(request, socket, head);
    else refuse(socket, refused);
  });
}

function checkTarget({ method, headers, url = "" }: IncomingMessage): ApiError | undefined {
  if (!/^websocket$/i.test(headers.upgrade ?? ""))
    return invalid(
      "expected HTTP/1.1 without the header Upgrade, which some clients send to switch to HTTP/2",
    );
  const path = url.replace(/\?.*$/, "");
  return path === STREAM_PATH ? undefined : notFound(`${method} ${path}`);
}

/** A connection that asked for an upgrade has no response object. */
function refuse(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(errorBody(error));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
