import type { ServerResponse } from "node:http";
import { codeOf, HookporterError } from "../base/errors.ts";

/**
 * Headers of every answer. The browser may load only the page's own files, text cannot become
 * markup, no other page may frame this one or read an answer, and no cache keeps one.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** The result of a route: JSON, bytes to save, or plain text. */
export type RouteResult =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "file"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly type: "text"; readonly text: string };

export class RequestError extends Error {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    type: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.type = type;
    this.headers = headers;
  }
}

/** The path is known, but not the method. */
export function wrongMethod(allowed: readonly string[]): RequestError {
  const message = "This path does not support that method.";
  return new RequestError(405, "method_not_allowed", message, { Allow: allowed.join(", ") });
}

export function invalidRequest(message: string): RequestError {
  return new RequestError(400, "invalid_request", message);
}

/**
 * Writes a route's result. Content of a delivery is sent as a file or as plain text, never as a
 * page.
 */
export function writeResult(response: ServerResponse, answer: RouteResult): void {
  if (answer.type === "json") {
    write(response, 200, "application/json", JSON.stringify(answer.value));
  } else if (answer.type === "text") {
    write(response, 200, "text/plain; charset=utf-8", answer.text);
  } else {
    const name = answer.name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
    response.setHeader("Content-Disposition", `attachment; filename="${name}"`);
    write(response, 200, "application/octet-stream", answer.bytes);
  }
}

/** Writes an error in the service's own format (service description, "Errors"). */
export function writeError(
  response: ServerResponse,
  { status, type, message, headers }: RequestError,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!response.req.complete) response.setHeader("Connection", "close");
  write(response, status, "application/json", JSON.stringify({ error: { type, message } }));
}

/** Converts anything thrown into an error answer. */
export function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  if (!(thrown instanceof HookporterError)) {
    return new RequestError(500, "server_error", "This is a bug in hookporter; see its log.");
  }
  const { message } = thrown;
  const code = codeOf(thrown);
  return new RequestError(STATUS[code] ?? 503, code, message);
}

const STATUS: Readonly<Record<string, number>> = {
  input_invalid: 400,
  fixture_invalid: 400,
  entry_unknown: 404,
  target_unreachable: 502,
};

export function write(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
): void {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  response.writeHead(status, { "Content-Type": type, "Content-Length": bytes.byteLength });
  response.end(response.req.method === "HEAD" ? undefined : bytes);
}
