import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { describeError, HookporterError } from "../base/errors.ts";
import { closeServer, listenOn } from "../http/server.ts";
import {
  RequestError,
  SECURITY_HEADERS,
  toRequestError,
  write,
  writeError,
  writeResult,
  wrongMethod,
} from "./answer.ts";
import { addTicket, ENTRANCE } from "./auth/entrance.ts";
import { type AuthState, checkCaller, checkOrigin } from "./auth/guard.ts";
import type { KnownTokens } from "./auth/known-tokens.ts";
import { allowedHosts, pageName } from "./auth/named-host.ts";
import { tickets } from "./auth/tickets.ts";
import { type InspectorContext, type InspectorOptions, json } from "./context.ts";
import { DEFAULT_INSPECTOR_PORT } from "./default-port.ts";
import { fileFor, type PageFile } from "./page-files.ts";
import { findRoute } from "./routes.ts";

const HOST = "127.0.0.1";
/**
 * Milliseconds for a request's head, and for a whole request. The live feed is a response, so it
 * may last longer.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2000,
};

/** What the server needs besides the workings. */
interface ServerOptions
  extends Pick<InspectorOptions, "port" | "hosts" | "clock" | "log" | "tokenRecords"> {
  readonly tokens: KnownTokens;
  readonly page: ReadonlyMap<string, PageFile>;
}

/** Starts the server on the loopback interface; every request is checked before its route. */
export async function startInspectorServer(
  context: InspectorContext,
  { port, tokens, tokenRecords, hosts, clock, page, log }: ServerOptions,
) {
  const closed = { hosts: new Set<string>(), forwarded: new Set<string>() };
  let auth: AuthState = { ...closed, tokens, tickets: tickets(clock) };
  const server = createServer(LIMITS, (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    respond(request, response, { context, auth, page }).catch((thrown: unknown) => {
      const error = toRequestError(thrown);
      if (error.status >= 500)
        log.error({ error: describeError(thrown) }, "the inspector could not answer");
      if (response.headersSent) response.destroy();
      else writeError(response, error);
    });
  });
  const bound = await bind(server, port);
  const name = pageName(tokenRecords.seed(), bound);
  auth = { ...auth, ...allowedHosts(hosts, bound, name) };
  const close = async () => {
    await closeServer(server);
    tokens.close();
  };
  return { port: bound, name, close };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  {
    context,
    auth,
    page,
  }: { context: InspectorContext; auth: AuthState; page: ServerOptions["page"] },
): Promise<void> {
  const { method = "", url = "" } = request;
  checkOrigin(request, auth);
  const [path = "", ...search] = url.split("?");
  const file = page.get(path);
  if (file !== undefined) {
    const fitting = fileFor(file, request.headers["accept-encoding"]?.toString());
    servePage(request, response, { ...fitting, bytes: addTicket(fitting, request, auth.tickets) });
    return;
  }
  if (!path.startsWith("/api/")) throw new RequestError(404, "not_found", "Not found.");
  const query = new URLSearchParams(search.join("?"));
  const [only, letIn, isOpen] = (Object.hasOwn(ENTRANCE, path) && ENTRANCE[path]) || [];
  if (isOpen === undefined) response.once("close", auth.tokens.use(checkCaller(request, auth)));
  if (only !== undefined && letIn !== undefined) {
    if (method !== only) throw wrongMethod([only]);
    writeResult(response, json(await letIn({ request, query, auth })));
    return;
  }
  const { route, id } = findRoute(method, path);
  const answer = await route(context, { request, response, query, id });
  if (answer !== undefined) writeResult(response, answer);
}

function servePage(
  { method = "" }: IncomingMessage,
  response: ServerResponse,
  file: PageFile,
): void {
  if (method !== "GET" && method !== "HEAD") throw wrongMethod(["GET", "HEAD"]);
  const { type, bytes, encoding } = file;
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
  write(response, 200, type, bytes);
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
