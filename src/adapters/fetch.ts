import { callUser, reportAsWarning } from "../base/user-calls.ts";
import type { Answer } from "../http/answer.ts";
import type { BodyLimits, BodyResult } from "../http/read-body.ts";
import { readWebBody } from "../http/read-web-body.ts";
import type { DrainOptions } from "../receiver/options/drain-options.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { checkAdapter } from "./check-adapter.ts";

/** Options of {@link fetchReceiver}. */
export interface FetchReceiverOptions {
  /**
   * The endpoint's path, compared exactly, as the runtime's `URL` spells it. One closing slash more
   * or less is the same endpoint, and any query is accepted. Default: any path, since a framework's
   * router calls the function for one only.
   */
  readonly path?: string | undefined;
  /**
   * Drains the receiver after each acknowledged delivery, within `budget`: for runtimes that keep
   * no process running. It lasts as long as `context.waitUntil` allows. Default: no drain.
   */
  readonly drain?: DrainOptions | undefined;
}

/** The part of a runtime's context that is used. */
export interface FetchContext {
  /** Keeps the runtime from freezing or ending the process before a promise has settled. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Answers one request; never rejects. Frameworks may pass anything as the second argument: only one
 * with `waitUntil` is used, and only for `drain`.
 */
export type FetchHandler = (request: Request, context?: FetchContext | object) => Promise<Response>;

/**
 * Wraps a receiver as a function from `Request` to `Response`, as Next.js, Hono, SvelteKit, Bun and
 * Deno call it. Pass the request before anything has read its body: `request.json()` would leave no
 * raw bytes to verify.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or
 * with a query
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
  receiver: Pick<Receiver, "receive"> & Partial<Pick<Receiver, "drain">>,
  options: FetchReceiverOptions = {},
): FetchHandler {
  checkAdapter(receiver, options, "fetchReceiver", true);
  const { path, drain } = options;
  const report = reportAsWarning("waitUntil of the runtime");
  return async (request, context) => {
    const { pathname, search } = urlOf(request);
    const answer = await receiver.receive({
      method: request.method,
      target: pathname + search,
      path: path ?? pathname,
      headers: Object.fromEntries(request.headers),
      read: (limits) => readWebBody(request, limits),
    });
    if (drain !== undefined && answer.status === 200) {
      // logged by the receiver
      const drained = Promise.resolve(receiver.drain?.(drain)).catch(() => {});
      if (context !== undefined && isContext(context))
        callUser(() => context.waitUntil(drained), report);
    }
    return toResponse(answer, request.method);
  };
}

/**
 * Reads the raw bytes of a `Request`, as `fetchReceiver` does: for an adapter of your own, as
 * `read` of an `Incoming`.
 *
 * @throws ConfigurationError `body_already_parsed`
 *
 * @example
 * ```ts
 * import type { Receiver } from "hookporter";
 * import { readBody } from "hookporter/fetch";
 *
 * export function receive(receiver: Receiver, request: Request) {
 *   const { pathname, search } = new URL(request.url);
 *   const head = { method: request.method, target: pathname + search, path: pathname };
 *   const headers = Object.fromEntries(request.headers);
 *   return receiver.receive({ ...head, headers, read: (limits) => readBody(request, limits) });
 * }
 * ```
 */
export function readBody(request: Request, limits: BodyLimits): Promise<BodyResult> {
  return readWebBody(request, limits);
}

/** Some platforms pass a path alone, or what is no URL: that is no endpoint. */
function urlOf({ url }: Request): Pick<URL, "pathname" | "search"> {
  const base = "http://localhost";
  return URL.canParse(url, base) ? new URL(url, base) : { pathname: "", search: "" };
}

function isContext(context: object): context is FetchContext {
  return "waitUntil" in context && typeof context.waitUntil === "function";
}

function toResponse({ status, headers, body }: Answer, method: string): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === "connection") continue; // the runtime's own, and refused over HTTP/2
    for (const text of [value].flat()) sent.append(name, text);
  }
  const bytes = typeof body === "string" ? body : new Uint8Array(body);
  return new Response(method === "HEAD" ? null : bytes, { status, headers: sent });
}
