import type { Answer } from "../http/answer.ts";
import { readWebBody } from "../http/read-web-body.ts";
import { checkAdapter } from "./check-adapter.ts";
import { checkPath } from "./endpoint-path.ts";
import type { Receiver } from "./receiver.ts";

/** Options of {@link fetchReceiver}. */
export interface FetchReceiverOptions {
  /**
   * The endpoint's path, compared exactly, as the runtime's `URL` spells it. One closing slash more or less is the same
   * endpoint, and any query is accepted. Default: any path, since a framework's router calls the function for one only.
   */
  readonly path?: string | undefined;
}

/** Answers one request; never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Wraps a receiver as a function from `Request` to `Response`, as Next.js, Hono, SvelteKit, Bun and Deno call it. Pass the
 * request before anything has read its body: `request.json()` would leave no raw bytes to verify.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or with a query
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { fetchReceiver } from "hookporter/fetch";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * await receiver.start();
 * const POST = fetchReceiver(receiver); // app/webhooks/route.ts of Next.js exports it
 * ```
 */
export function fetchReceiver(
  receiver: Pick<Receiver, "receive">,
  options: FetchReceiverOptions = {},
): FetchHandler {
  checkAdapter(receiver, options, "fetchReceiver");
  const { path } = options;
  if (path !== undefined) checkPath(path, "path");
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const answer = await receiver.receive({
      method: request.method,
      target: pathname + search,
      path: path ?? pathname,
      headers: Object.fromEntries(request.headers),
      read: (limits) => readWebBody(request, limits),
    });
    return toResponse(answer, request.method);
  };
}

function toResponse({ status, headers, body }: Answer, method: string): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === "connection") continue; // the runtime's own, and refused over HTTP/2
    for (const one of [value].flat()) sent.append(name, one);
  }
  const bytes = typeof body === "string" ? body : new Uint8Array(body);
  return new Response(method === "HEAD" ? null : bytes, { status, headers: sent });
}
