import type { IncomingMessage } from "node:http";
import { isRecord } from "../base/guards.ts";
import { readBody } from "../http/read-body.ts";
import { invalidRequest, RequestError } from "./answer.ts";

/** The maximum size of a request in bytes, and its time-out in milliseconds. */
const LIMITS = { limit: 4 * 1024 * 1024, timeout: 10_000 };

export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: object) {
    this.#values = new Map(Object.entries(values));
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw invalidRequest(`expected ${name} to be a string`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === undefined || typeof value === "string") return value;
    throw invalidRequest(`expected ${name} to be a string`);
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value {
    const text = this.text(name);
    const value = values.find((value) => value === text);
    if (value !== undefined) return value;
    throw invalidRequest(`expected ${name} to be one of ${values.join(", ")}`);
  }

  wholeNumber(
    name: string,
    {
      least = 0,
      most = Number.MAX_SAFE_INTEGER,
    }: { readonly least?: number; readonly most?: number } = {},
  ): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most)
      return value;
    throw invalidRequest(`expected ${name} to be a whole number from ${least} to ${most}`);
  }

  /** False if absent. @throws RequestError 400 if the value is not a boolean */
  flag(name: string): boolean {
    const value = this.#values.get(name) ?? false;
    if (typeof value === "boolean") return value;
    throw invalidRequest(`expected ${name} to be true or false`);
  }
}

/**
 * Reads a request's JSON object; an empty body counts as an empty object. @throws RequestError 400,
 * 408, 413
 */
export async function readFields(request: IncomingMessage): Promise<Fields> {
  const body = await readBody(request, LIMITS);
  if (body === "too_large")
    throw new RequestError(413, "payload_too_large", "expected a smaller request");
  if (body === "too_slow")
    throw new RequestError(408, "request_timeout", "the request did not arrive in time");
  if (typeof body === "string") throw invalidRequest("the request did not arrive completely");
  if (body.byteLength === 0) return new Fields({});
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw invalidRequest("expected a JSON object, got text that is not JSON");
  }
  if (isRecord(value)) return new Fields(value);
  throw invalidRequest("expected a JSON object, got another JSON value");
}
