import type { IncomingMessage } from "node:http";
import type { Token } from "./token.ts";

/** Why a request is denied: a status, and an error in the service's own format. */
export interface Denial {
  readonly status: 401 | 403 | 415;
  readonly type: string;
  readonly message: string;
}

/** Who may use the inspector. */
export interface Door {
  /** Allowed values of `Host`, in lower case, with the port. */
  readonly hosts: ReadonlySet<string>;
  readonly token: Token;
}

/**
 * Checks where a request comes from, before its route and method. A page elsewhere that points its name to this machine
 * (DNS rebinding) has its own name as `Host`; a page of another origin has that as `Origin`, or another value of
 * `Sec-Fetch-Site`. Navigating to the page itself is allowed from anywhere, such as from a terminal: without the token it
 * shows nothing.
 */
export function denyOrigin(request: IncomingMessage, { hosts }: Door): Denial | undefined {
  const { headers, rawHeaders } = request;
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const host = headers.host?.toLowerCase();
  if (given !== 1 || host === undefined || !hosts.has(host)) {
    return forbidden("host_not_allowed", "Open the inspector at the address that listen printed.");
  }
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) {
    return forbidden("origin_not_allowed", "Other pages may not use the inspector.");
  }
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return undefined;
  const opensPage =
    request.method === "GET" && request.url === "/" && headers["sec-fetch-dest"] === "document";
  if (opensPage) return undefined;
  return forbidden("site_not_allowed", "Other pages may not use the inspector.");
}

/** Checks that an API request has the token, and a content type that other pages cannot send without a preflight. */
export function denyCaller(request: IncomingMessage, { token }: Door): Denial | undefined {
  if (!token.matches(request.headers.authorization)) {
    const message = "Send the token printed by listen as Authorization: Bearer.";
    return { status: 401, type: "unauthorized", message };
  }
  const type = request.headers["content-type"] ?? "";
  if (request.method === "POST" && !/^application\/json(?:\s*;|$)/i.test(type)) {
    return { status: 415, type: "unsupported_media_type", message: "Send JSON, as application/json." };
  }
  return undefined;
}

function forbidden(type: string, message: string): Denial {
  return { status: 403, type, message };
}
