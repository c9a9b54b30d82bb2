import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { RunningServer } from "../../adapters/server.ts";
import { closeServer, listenOn } from "../../http/server.ts";
import type { Readiness } from "./readiness.ts";
import type { ServedMetrics } from "./serve-metrics.ts";

export interface Health {
  readonly readiness: Readiness;
  /** Default: `/metrics` is not found. */
  readonly metrics?: Pick<ServedMetrics, "contentType" | "read"> | undefined;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` only to this machine: on a separate listener that no
 * tunnel leads to, and only under this machine's own names, so that a web page whose name was bound
 * to 127.0.0.1 cannot read them. Throws `port_unavailable`. Its URL is its origin, such as
 * `http://127.0.0.1:4401`.
 */
export async function startHealthServer(port: number, health: Health): Promise<RunningServer> {
  const server = createServer((request, response) => {
    void reply(request, health).then((answer) => write(request, response, answer));
  });
  const bound = await listenOn(server, port, "127.0.0.1", "--health-port");
  return { url: new URL(`http://127.0.0.1:${bound}`), close: () => closeServer(server) };
}

interface Reply {
  readonly status: number;
  /** JSON, or a text of the type. */
  readonly body: object | string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, type, headers }: Reply,
) {
  response.writeHead(status, {
    "content-type": type ?? "application/json",
    "cache-control": "no-store",
    ...headers,
  });
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.end(request.method === "HEAD" ? undefined : text);
}

/** Refuses requests under another host name first. */
async function reply(
  { method, url, headers }: IncomingMessage,
  { readiness, metrics }: Health,
): Promise<Reply> {
  if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/i.test(headers.host ?? ""))
    return refusal(403, "forbidden", "This server answers to localhost and 127.0.0.1 only.");
  const hasMetrics = url === "/metrics" && metrics !== undefined;
  if (url !== "/healthz" && url !== "/readyz" && !hasMetrics)
    return refusal(404, "not_found", "Not found.");
  if (method !== "GET" && method !== "HEAD")
    return { ...refusal(405, "method_not_allowed", "Use GET."), headers: { allow: "GET, HEAD" } };
  if (url === "/healthz") return { status: 200, body: { alive: true } };
  if (hasMetrics) return { status: 200, type: metrics.contentType, body: await metrics.read() };
  const state = await readiness.ask();
  return { status: state.ready ? 200 : 503, body: state };
}

function refusal(status: number, type: string, message: string): Reply {
  return { status, body: { error: { type, message } } };
}
