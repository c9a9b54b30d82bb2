import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "../base/logger.ts";
import { describeError, HookporterError } from "../errors.ts";
import { closeServer, listenOn } from "../http/server.ts";
import {
  RequestError,
  SECURITY_HEADERS,
  toRequestError,
  writeError,
  writeResult,
  wrongMethod,
} from "./answer.ts";
import { DEFAULT_INSPECTOR_PORT } from "./default-port.ts";
import { addTicket, admit, answerWithoutToken } from "./door/entrance.ts";
import { checkCaller, checkOrigin, type Door } from "./door/guard.ts";
import type { KnownTokens } from "./door/known-tokens.ts";
import { allowedHosts, type NamedHost } from "./door/named-host.ts";
import { Tickets } from "./door/tickets.ts";
import { fileFor, type PageFile } from "./page-files.ts";
import { findRoute } from "./routes.ts";
import type { Workings } from "./workings.ts";

const HOST = "127.0.0.1";
/** Milliseconds for a request's head, and for a whole request. The live feed is a response, so it may last longer. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2000 };

export interface InspectorServerOptions {
  /** 0 means any free port; `undefined` means 4401, or a free one if that is taken. */
  readonly port: number | undefined;
  readonly tokens: KnownTokens;
  /** Forwarded addresses under which the page may be open, besides its own. */
  readonly hosts: readonly NamedHost[];
  readonly clock: () => number;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly log: Logger;
}

/** Starts the server on the loopback interface; every request is checked before its route. */
export async function startInspectorServer(
  workings: Workings,
  { port, tokens, hosts, clock, page, log }: InspectorServerOptions,
) {
  const closed = { hosts: new Set<string>(), forwarded: new Set<string>() };
  let door: Door = { ...closed, tokens, tickets: new Tickets(clock) };
  const server = createServer(LIMITS, (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    respond(request, response, { workings, door, page }).catch((thrown: unknown) => {
      const error = toRequestError(thrown);
      if (error.status >= 500) log.error({ error: describeError(thrown) }, "the inspector could not answer");
      if (response.headersSent) response.destroy();
      else writeError(response, error);
    });
  });
  const bound = await bind(server, port);
  door = { ...door, ...allowedHosts(hosts, bound) };
  const close = async () => {
    await closeServer(server);
    tokens.close();
  };
  return { port: bound, close };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { workings, door, page }: { workings: Workings; door: Door; page: InspectorServerOptions["page"] },
): Promise<void> {
  const { method = "", url = "" } = request;
  checkOrigin(request, door);
  const [path = "", search = ""] = url.split("?", 2);
  const file = page.get(path);
  if (file !== undefined) {
    const fitting = fileFor(file, request.headers["accept-encoding"]?.toString());
    servePage(request, response, { ...fitting, bytes: addTicket(fitting, request, door.tickets) });
    return;
  }
  if (!path.startsWith("/api/")) throw new RequestError(404, "not_found", "Not found.");
  const query = new URLSearchParams(search);
  const open = answerWithoutToken(request, path, query, door);
  if (open !== undefined) {
    writeResult(response, open);
    return;
  }
  response.once("close", door.tokens.use(checkCaller(request, door)));
  if (path === "/api/admit") {
    writeResult(response, await admit(request, door));
    return;
  }
  const { route, id } = findRoute(method, path);
  const answer = await route(workings, { request, response, query, id });
  if (answer !== undefined) writeResult(response, answer);
}

function servePage({ method = "" }: IncomingMessage, response: ServerResponse, file: PageFile): void {
  if (method !== "GET" && method !== "HEAD") throw wrongMethod(["GET", "HEAD"]);
  const { type, bytes, encoding } = file;
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
  response.writeHead(200, { "Content-Type": type, "Content-Length": bytes.byteLength });
  response.end(method === "HEAD" ? undefined : bytes);
}

/** Listens, and returns the port. If the default port is taken, uses a free one. */
async function bind(server: Server, port: number | undefined): Promise<number> {
  const listening = listenOn(server, port ?? DEFAULT_INSPECTOR_PORT, HOST, "--inspect-port");
  if (port !== undefined) return listening;
  return listening.catch((thrown: unknown) => {
    if (!(thrown instanceof HookporterError)) throw thrown;
    return listenOn(server, 0, HOST);
  });
}
