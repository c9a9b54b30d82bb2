import type { IncomingMessage } from "node:http";
import { RequestError } from "../answer.ts";
import type { KnownTokens } from "./known-tokens.ts";
import type { Tickets } from "./tickets.ts";

export interface AuthState {
  /** Allowed values of `Host`, in lower case, with the port unless it is a scheme's own. */
  readonly hosts: ReadonlySet<string>;
  /** Those of them that were named as forwarded addresses, which may be HTTPS. */
  readonly forwarded: ReadonlySet<string>;
  readonly tokens: KnownTokens;
  readonly tickets: Tickets;
}

/**
 * Checks where a request comes from, before its route and method. A page elsewhere that points its
 * name to this machine (DNS rebinding) has its own name as `Host`; a page of another origin has
 * that as `Origin`, or another value of `Sec-Fetch-Site`. Navigating to the page itself is allowed
 * from anywhere, such as from a terminal: without the token it shows nothing.
 *
 * @throws RequestError 403
 */
export function checkOrigin(request: IncomingMessage, { hosts, forwarded }: AuthState): void {
  const { headers, rawHeaders } = request;
  // A proxy may replace the host and leave the origin.
  const isForwarded = (origin: string) => forwarded.has(origin.replace(/^https?:\/\//, ""));
  const given = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === "host",
  ).length;
  const host = headers.host?.toLowerCase();
  if (given !== 1 || host === undefined || !hosts.has(host)) {
    throw forbidden("host_not_allowed", "Open the inspector at the address that listen printed.");
  }
  if (
    headers.origin !== undefined &&
    headers.origin !== `http://${host}` &&
    !isForwarded(headers.origin)
  ) {
    throw forbidden("origin_not_allowed", "Other pages may not use the inspector.");
  }
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  const opensPage =
    request.method === "GET" && request.url === "/" && headers["sec-fetch-dest"] === "document";
  if (!opensPage) throw forbidden("site_not_allowed", "Other pages may not use the inspector.");
}

/** Returns the hash of the token that an API request must have. @throws RequestError 401, 415 */
export function checkCaller(request: IncomingMessage, { tokens }: AuthState): string {
  const hash = tokens.find(request.headers.authorization);
  if (hash === undefined) {
    throw new RequestError(
      401,
      "unauthorized",
      "Send the token printed by listen as Authorization: Bearer.",
    );
  }
  checkType(request);
  return hash;
}

/**
 * Checks that a POST has a content type that other pages cannot send without a preflight. @throws
 * RequestError 415
 */
export function checkType(request: IncomingMessage): void {
  const type = request.headers["content-type"] ?? "";
  if (request.method === "POST" && !/^application\/json(?:\s*;|$)/i.test(type)) {
    throw new RequestError(415, "unsupported_media_type", "Send JSON, as application/json.");
  }
}

function forbidden(type: string, message: string): RequestError {
  return new RequestError(403, type, message);
}
