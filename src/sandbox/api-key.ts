import type { IncomingHttpHeaders } from "node:http";
import { type ApiError, unauthorized } from "./api-error.ts";

/** The prefixes that distinguish keys (service description, "Authentication" 2). */
const TEST_PREFIX = "sk_test_";
const LIVE_PREFIX = "sk_live_";

/**
 * Checks `Authorization: Bearer <API_KEY>` (service description, "Authentication" 1 to 3). A live key gets its own message,
 * since sending one here is a mistake that should be noticed.
 *
 * @param wanted - the only key to accept; `undefined` accepts every test key
 * @returns the error, or `undefined` if the key is valid
 */
export function checkKey(header: string | undefined, wanted: string | undefined): ApiError | undefined {
  const key = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (key === undefined) return unauthorized("expected the header Authorization: Bearer <API_KEY>");
  if (key.startsWith(LIVE_PREFIX))
    return unauthorized(
      "expected a test key (sk_test_), got a live key (sk_live_): do not send live keys to the sandbox",
    );
  if (!key.startsWith(TEST_PREFIX)) return unauthorized("expected an API key that begins with sk_test_");
  const good = wanted === undefined ? key !== TEST_PREFIX : key === wanted;
  return good ? undefined : unauthorized("the API key is not valid here");
}

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
