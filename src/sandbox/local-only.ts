import type { IncomingHttpHeaders } from "node:http";
import type { ApiError } from "./api-error.ts";

/**
 * Lets in only what was sent to this machine by name, and by no web page: a page in a browser could otherwise reach the
 * sandbox, under a name that its owner lets lead to 127.0.0.1, or straight from another origin.
 *
 * @returns what is wrong, or nothing
 */
export function checkLocal({ host, origin }: IncomingHttpHeaders, port: number): ApiError | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase())) {
    return forbidden(`expected the header Host to be ${names.join(" or ")}`);
  }
  // Programs send no Origin, and a browser always does where it could do harm.
  return origin === undefined ? undefined : forbidden("web pages are not let in: expected no header Origin");
}

function forbidden(message: string): ApiError {
  return { status: 403, type: "forbidden", message };
}
