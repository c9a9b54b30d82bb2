import type { IncomingHttpHeaders } from "node:http";
import type { ApiError } from "./api-error.ts";

/**
 * Accepts only requests sent to this machine's name, and not by a web page. A page in a browser could otherwise reach the
 * sandbox under a name that its owner points to 127.0.0.1, or from another origin.
 *
 * @returns the error, or `undefined`
 */
export function checkLocal({ host, origin }: IncomingHttpHeaders, port: number): ApiError | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase()))
    return forbidden(`expected the header Host to be ${names.join(" or ")}`);
  // Programs send no Origin; a browser always does for requests that could do harm.
  return origin === undefined ? undefined : forbidden("expected no header Origin: web pages are not allowed");
}

function forbidden(message: string): ApiError {
  return { status: 403, type: "forbidden", message };
}
