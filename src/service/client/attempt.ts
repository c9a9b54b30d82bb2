import { redact } from "../../base/text/redact.ts";
import type { ClientSettings } from "./client-options.ts";
import { type Failure, judgeFailure, type RawAnswer } from "./judge-answer.ts";
import { readNetworkFailure } from "./network-failure.ts";

export interface ServiceRequest {
  readonly method: "GET" | "POST";
  /** The path including the version, such as `/v1/properties`. */
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly body?: object;
  /** Parts of the body that must not appear in an error. */
  readonly secrets?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A 2xx response with its parsed body; `undefined` if it had none. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: unknown;
}

export type AttemptResult = { readonly answer: ServiceAnswer } | { readonly failure: Failure };

interface CurrentAttempt {
  readonly settings: ClientSettings;
  readonly request: ServiceRequest;
  readonly deadline: AttemptDeadline;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
}

/**
 * Sends a request once. Throws only errors of the token function, and the caller's abort reason.
 */
export async function attempt(
  settings: ClientSettings,
  request: ServiceRequest,
): Promise<AttemptResult> {
  const deadline = startDeadline(settings.timeout, request.signal);
  try {
    const token = await tokenInTime(settings, deadline);
    request.signal?.throwIfAborted();
    const secrets = [token ?? "", ...(request.secrets ?? [])];
    const exchange = { settings, request, deadline, secrets };
    if (token === undefined) return { failure: timedOut(exchange, "access token", true) };
    return await send(exchange, token);
  } finally {
    deadline.end();
  }
}

/** The token; `undefined` if the time runs out first. */
async function tokenInTime({ credential }: ClientSettings, { signal }: AttemptDeadline) {
  if (signal.aborted) return undefined;
  let stop = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([credential.token(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function send(exchange: CurrentAttempt, token: string): Promise<AttemptResult> {
  const { settings, request, deadline, secrets } = exchange;
  const { method } = request;
  let answer: RawAnswer | undefined;
  try {
    const response = await settings.fetch(urlOf(settings, request), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        "content-type": "application/json",
      },
      redirect: "manual", // a redirect would send the key elsewhere
      signal: deadline.signal,
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    });
    const { status, headers } = response;
    answer = { status, headers, bytes: undefined };
    answer = { ...answer, bytes: await readBounded(response, settings.maxAnswer) };
  } catch (thrown) {
    request.signal?.throwIfAborted();
    // The status alone decides: an incomplete body of an error response changes nothing.
    if (answer === undefined || answer.status < 300) return { failure: noAnswer(thrown, exchange) };
  }
  if (answer.status < 300) return readBody(answer, exchange);
  return { failure: judgeFailure(answer, request, secrets, settings.clock()) };
}

function noAnswer(thrown: unknown, exchange: CurrentAttempt): Failure {
  const { settings, request, deadline, secrets } = exchange;
  if (deadline.isTimedOut) return timedOut(exchange, "complete response", false);
  const { why, notSent, permanent } = readNetworkFailure(thrown);
  const isGet = request.method === "GET";
  return {
    code: "service_unreachable",
    message: `${labelOf(request)}: expected a response from ${new URL(settings.baseUrl).origin}, got none: ${redact(why, secrets)}`,
    isRetryable: !permanent && (isGet || notSent),
    mayHaveHappened: !isGet && !notSent,
    cause: thrown,
  };
}

function timedOut({ settings, request }: CurrentAttempt, what: string, notSent: boolean): Failure {
  const isGet = request.method === "GET";
  return {
    code: "service_timeout",
    message: `${labelOf(request)}: expected a ${what} within ${settings.timeout} ms, got none: try again, or raise the timeout`,
    isRetryable: isGet || notSent,
    mayHaveHappened: !isGet && !notSent,
  };
}

function readBody(
  { status, headers, bytes }: RawAnswer,
  { settings, request }: CurrentAttempt,
): AttemptResult {
  const invalid = (why: string): AttemptResult => ({
    failure: {
      code: "service_answer_invalid",
      message: `${labelOf(request)}: ${why}`,
      status,
      isRetryable: false,
      mayHaveHappened: request.method === "POST",
    },
  });
  if (bytes === undefined)
    return invalid(
      `expected a response of at most ${settings.maxAnswer} bytes, got more: raise maxAnswer, or request fewer items`,
    );
  if (bytes.byteLength === 0) return { answer: { status, body: undefined } };
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return { answer: { status, body } };
  } catch {
    const type = redact(headers.get("content-type") ?? "no content type", [], 100);
    return invalid(
      `expected JSON with status ${status}, got other content (${type}): check the base URL`,
    );
  }
}

function urlOf({ baseUrl }: ClientSettings, { path, query = [] }: ServiceRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of query) search.append(name, value);
  return baseUrl + path + (search.size === 0 ? "" : `?${search}`);
}

function labelOf({ method, path }: ServiceRequest): string {
  return `${method} ${path}`;
}

/**
 * Reads a decompressed response; returns `undefined` if it exceeds the limit, without fetching the
 * rest.
 */
async function readBounded(response: Response, limit: number): Promise<Buffer | undefined> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream, which closes the connection instead of reading it to the
  // end.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type AttemptDeadline = ReturnType<typeof startDeadline>;

/**
 * Starts a time limit, combined with the caller's signal: the returned one is aborted by both. Uses
 * own timers, since Node 20 may collect an `AbortSignal.any` whose sources are unreferenced.
 */
function startDeadline(milliseconds: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  let over = false;
  const giveUp = () => {
    over = true;
    controller.abort();
  };
  const timer = setTimeout(giveUp, milliseconds);
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    /** Whether the time is up. */
    get isTimedOut(): boolean {
      return over;
    },
    /** Removes timer and listener. */
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
