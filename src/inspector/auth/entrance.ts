import type { IncomingMessage } from "node:http";
import { invalidRequest, RequestError } from "../answer.ts";
import type { PageFile } from "../page-files.ts";
import { readFields } from "../read-request.ts";
import { type AuthState, checkType } from "./guard.ts";
import type { Tickets } from "./tickets.ts";
import { bearerToken } from "./token.ts";

type Entrance = readonly [
  method: string,
  answer: (call: AuthContext) => object | Promise<object>,
  isOpen?: "open",
];

/** The routes that let a tab in; those that are open need no token. */
export const ENTRANCE: Readonly<Record<string, Entrance>> = {
  "/api/proof": ["GET", prove, "open"],
  "/api/enter": ["POST", enter, "open"],
  "/api/admit": ["POST", admit],
};

export const ENTRANCE_ROUTES = Object.entries(ENTRANCE).map(
  ([path, [method]]) => `${method} ${path}`,
);

const MARK = /<meta name="ticket" content=""/;

/**
 * Writes a ticket into a page that a tab opens: no script and no frame of another page can set
 * these headers.
 */
export function addTicket(
  file: PageFile,
  { headers }: IncomingMessage,
  tickets: Tickets,
): Uint8Array {
  const opened =
    headers["sec-fetch-dest"] === "document" && headers["sec-fetch-mode"] === "navigate";
  if (!opened || !file.type.startsWith("text/html")) return file.bytes;
  const page = Buffer.from(file.bytes).toString("utf8");
  return Buffer.from(
    page.replace(MARK, `<meta name="ticket" content="${tickets.issue()}"`),
    "utf8",
  );
}

interface AuthContext {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly auth: AuthState;
}

/** Exchanges a ticket that another tab has admitted for the token. */
function enter({ request, auth: door }: AuthContext) {
  checkType(request);
  const token = door.tickets.redeem(bearerToken(request.headers.authorization) ?? "");
  if (token !== undefined) return { token };
  throw new RequestError(401, "not_admitted", "No open page has admitted this tab.");
}

/** Admits a new tab on behalf of one that is in. */
async function admit({ request, auth: door }: AuthContext) {
  const hash = (await readFields(request)).text("ticket");
  if (door.tickets.admit(hash, bearerToken(request.headers.authorization) ?? "")) return {};
  throw new RequestError(
    404,
    "ticket_unknown",
    "expected the hash of a valid ticket, got another: reload the new tab",
  );
}

function prove({ query, auth: { tokens, hosts } }: AuthContext) {
  const [name = "", host = "", nonce = ""] = ["name", "host", "nonce"].map(
    (text) => query.get(text) ?? "",
  );
  if (!/^[A-Za-z0-9_-]{22,86}$/.test(nonce) || !hosts.has(host)) {
    throw invalidRequest("expected a nonce, and the host in the page's address");
  }
  const proof = tokens.prove(name, host, nonce);
  if (proof !== undefined) return { proof };
  throw new RequestError(
    404,
    "token_unknown",
    "This listen does not know the token, or it has expired.",
  );
}
