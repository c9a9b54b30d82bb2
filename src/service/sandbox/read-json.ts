import type { IncomingMessage } from "node:http";
import { parseExact } from "../../event/exact-json.ts";
import { readBody } from "../../http/read-body.ts";
import { type ApiError, invalid } from "./api-error.ts";

/** The limits of a request's body, in bytes and milliseconds. */
const BODY = { limit: 256 * 1024, timeout: 10_000 };

/**
 * Reads a request's JSON (service description, "Endpoints": `Content-Type: application/json`), or
 * returns an error.
 *
 * @param exact - keeps numbers as written, for bodies that become part of an envelope
 */
export async function readJson(
  request: IncomingMessage,
  { exact = false } = {},
): Promise<{ readonly value: unknown } | { readonly error: ApiError }> {
  if (!/^application\/json(?:\s*;|$)/i.test(request.headers["content-type"] ?? ""))
    return { error: invalid("expected the header Content-Type: application/json") };
  const body = await readBody(request, BODY);
  if (typeof body === "string")
    return {
      error: invalid(
        `expected a complete body of at most ${BODY.limit} bytes, in time, got an error (${body})`,
      ),
    };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { value: exact ? parseExact(text) : JSON.parse(text) };
  } catch {
    return { error: invalid("expected a body that is JSON in UTF-8") };
  }
}
