import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiError, errorBody, invalid } from "./api-error.ts";
import { checkKey } from "./api-key.ts";
import { notFound } from "./app.ts";
import { checkLocal } from "./local-only.ts";
import type { ServiceApiParts } from "./service-api.ts";
import type { StreamServer } from "./stream-server.ts";

/** The path of the stream. The description shows no address, so it is the sandbox's own. */
export const STREAM_PATH = "/_sandbox/stream";

export function openStreamsOn(server: Server, stream: StreamServer, parts: ServiceApiParts): void {
  const { settings, simulation, rules } = parts;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (simulation.deliverer.inOutage) return socket.destroy();
    const { headers } = request;
    const own = checkLocal(headers, rules.ownPort) ?? checkTarget(request);
    const refused = own ?? checkKey(headers.authorization, settings.apiKey);
    if (refused === undefined) return stream.accept(request, socket, head);
    // A connection that asked for an upgrade has no response object.
    const body = JSON.stringify(errorBody(refused));
    const lines = [
      `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`,
      "Connection: close",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  });
}

function checkTarget({ method, headers, url = "" }: IncomingMessage): ApiError | undefined {
  if (!/^websocket$/i.test(headers.upgrade ?? ""))
    return invalid(
      "expected HTTP/1.1 without the header Upgrade, which some clients send to switch to HTTP/2",
    );
  const [path] = url.split("?", 1);
  return path === STREAM_PATH ? undefined : notFound(`${method} ${path}`);
}
