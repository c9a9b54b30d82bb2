import type { IncomingMessage } from "node:http";
import { invalidRequest, RequestError, type RouteResult, wrongMethod } from "../answer.ts";
import type { PageFile } from "../page-files.ts";
import { readFields } from "../read-request.ts";
import { checkType, type Door } from "./guard.ts";
import type { Tickets } from "./tickets.ts";
import { bearerToken } from "./token.ts";

export const ENTRANCE_ROUTES: readonly string[] = ["GET /api/proof", "POST /api/enter", "POST /api/admit"];

const MARK = /<meta name="ticket" content=""/;

/** Writes a ticket into a page that a tab opens: no script and no frame of another page can set these headers. */
export function addTicket(file: PageFile, { headers }: IncomingMessage, tickets: Tickets): Uint8Array {
  const opened = headers["sec-fetch-dest"] === "document" && headers["sec-fetch-mode"] === "navigate";
  if (!opened || !file.type.startsWith("text/html")) return file.bytes;
  const page = Buffer.from(file.bytes).toString("utf8");
  return Buffer.from(page.replace(MARK, `<meta name="ticket" content="${tickets.issue()}"`), "utf8");
}

/** The answer to a request that needs no token; `undefined` if it is for another route. */
export function answerWithoutToken(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  door: Door,
): RouteResult | undefined {
  if (path === "/api/proof") {
    if (request.method !== "GET") throw wrongMethod(["GET"]);
    return { type: "json", value: { proof: prove(query, door) } };
  }
  if (path === "/api/enter") {
    if (request.method !== "POST") throw wrongMethod(["POST"]);
    checkType(request);
    const token = door.tickets.redeem(bearerToken(request.headers.authorization) ?? "");
    if (token !== undefined) return { type: "json", value: { token } };
    throw new RequestError(401, "not_admitted", "No open page has admitted this tab.");
  }
  return undefined;
}

/** Admits a new tab on behalf of one that is in. */
export async function admit(request: IncomingMessage, { tickets }: Door): Promise<RouteResult> {
  if (request.method !== "POST") throw wrongMethod(["POST"]);
  const hash = (await readFields(request)).text("ticket");
  if (tickets.admit(hash, bearerToken(request.headers.authorization) ?? ""))
    return { type: "json", value: {} };
  throw new RequestError(
    404,
    "ticket_unknown",
    "expected the hash of a valid ticket, got another: reload the new tab",
  );
}

function prove(query: URLSearchParams, { tokens, hosts }: Door): string {
  const [name = "", host = "", nonce = ""] = ["name", "host", "nonce"].map((one) => query.get(one) ?? "");
  if (!/^[A-Za-z0-9_-]{22,86}$/.test(nonce) || !hosts.has(host)) {
    throw invalidRequest("expected a nonce, and the host in the page's address");
  }
  const proof = tokens.prove(name, host, nonce);
  if (proof !== undefined) return proof;
  throw new RequestError(404, "token_unknown", "This listen does not know the token, or it has expired.");
}
