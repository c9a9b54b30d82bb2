import type { IncomingMessage } from "node:http";
import type { KnownTokens } from "./known-tokens.ts";

/** Why a request is denied: a status, and an error in the service's own format. */
export interface Denial {
  readonly status: 401 | 403 | 415;
  readonly type: string;
  readonly message: string;
}

/** Who may use the inspector. */
export interface Door {
  /** Allowed values of `Host`, in lower case, with the port unless it is a scheme's own. */
  readonly hosts: ReadonlySet<string>;
  /** Those of them that were named as forwarded addresses, which may be HTTPS. */
  readonly forwarded: ReadonlySet<string>;
  readonly tokens: KnownTokens;
}

/**
 * Checks where a request comes from, before its route and method. A page elsewhere that points its name to this machine
 * (DNS rebinding) has its own name as `Host`; a page of another origin has that as `Origin`, or another value of
 * `Sec-Fetch-Site`. Navigating to the page itself is allowed from anywhere, such as from a terminal: without the token it
 * shows nothing.
 */
export function denyOrigin(request: IncomingMessage, { hosts, forwarded }: Door): Denial | undefined {
  const { headers, rawHeaders } = request;
  // A proxy may replace the host and leave the origin.
  const isForwarded = (origin: string) => forwarded.has(origin.replace(/^https?:\/\//, ""));
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const host = headers.host?.toLowerCase();
  if (given !== 1 || host === undefined || !hosts.has(host)) {
    return forbidden("host_not_allowed", "Open the inspector at the address that listen printed.");
  }
  if (headers.origin !== undefined && headers.origin !== `http://${host}` && !isForwarded(headers.origin)) {
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
export function denyCaller(request: IncomingMessage, { tokens }: Door): Denial | undefined {
  if (tokens.find(request.headers.authorization) === undefined) {
    const message = "Send the token printed by listen as Authorization: Bearer.";
    return { status: 401, type: "unauthorized", message };
  }
  return denyType(request);
}

/** Checks that a POST has a content type that other pages cannot send without a preflight. */
export function denyType(request: IncomingMessage): Denial | undefined {
  const type = request.headers["content-type"] ?? "";
  if (request.method === "POST" && !/^application\/json(?:\s*;|$)/i.test(type)) {
    return { status: 415, type: "unsupported_media_type", message: "Send JSON, as application/json." };
  }
  return undefined;
}

function forbidden(type: string, message: string): Denial {
  return { status: 403, type, message };
}
