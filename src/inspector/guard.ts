import type { IncomingMessage } from "node:http";
import type { Token } from "./token.ts";

/** Why a request is turned away at the door: a status, and an error in the service's own words. */
export interface Denial {
  readonly status: 401 | 403 | 415;
  readonly type: string;
  readonly message: string;
}

/** Who may come in. */
export interface Door {
  /** Values of `Host`, lower case, port included. */
  readonly hosts: ReadonlySet<string>;
  readonly token: Token;
}

/**
 * Whether a request's head came from somewhere it may come from: the first thing that is looked at, whatever its route
 * and method. A page elsewhere that had its name point to this machine (DNS rebinding) brings its own name as `Host`; a
 * page of another origin brings that, or says by `Sec-Fetch-Site` that it is one. Opening the page itself from anywhere,
 * as from a terminal in a browser, is let through: it shows nothing without the token.
 */
export function denyOrigin(request: IncomingMessage, { hosts }: Door): Denial | undefined {
  const { headers, rawHeaders } = request;
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const host = headers.host?.toLowerCase();
  if (given !== 1 || host === undefined || !hosts.has(host)) {
    return forbidden("host_not_allowed", "Open the inspector by the address that listen printed.");
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

/** Whether a request to the API has the token, and a form that no page can send without asking first. */
export function denyCaller(request: IncomingMessage, { token }: Door): Denial | undefined {
  if (!token.matches(request.headers.authorization)) {
    const message = "Send the token that listen printed, as Authorization: Bearer.";
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
