import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "../../http/is-loopback.ts";
import type { ApiError } from "./api-error.ts";

/**
 * Accepts only requests sent to this machine's name, and not by a web page. A page in a browser
 * could otherwise reach the sandbox under a name that its owner points to 127.0.0.1, or from
 * another origin.
 *
 * @returns the error, or `undefined`
 */
export function checkLocal(
  { host, origin }: IncomingHttpHeaders,
  port: number,
): ApiError | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase()))
    return forbidden(`expected the header Host to be ${names.join(" or ")}`);
  // Programs send no Origin; a browser always does for requests that could do harm.
  return origin === undefined
    ? undefined
    : forbidden("expected no header Origin: web pages are not allowed");
}

function forbidden(message: string): ApiError {
  return { status: 403, type: "forbidden", message };
}

/** A host name, a pattern for its subdomains, or `*`. */
const PATTERN = /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i;

/** Whether a text is a valid pattern for {@link isAllowedTarget}. */
export function isHostPattern(text: unknown): text is string {
  return typeof text === "string" && PATTERN.test(text);
}

/**
 * Whether deliveries may go to a URL: to this machine, or to an allowed host. A subscription makes
 * the sandbox post to any URL, so it must not lead into a network that only this machine can reach.
 */
export function isAllowedTarget(target: URL, allowed: readonly string[]): boolean {
  if (isLoopback(target)) return true;
  const host = target.hostname.toLowerCase();
  return allowed.some((pattern) => {
    const wanted = pattern.toLowerCase();
    if (wanted === "*") return true;
    return wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted;
  });
}
