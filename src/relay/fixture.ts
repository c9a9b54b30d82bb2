import { HookporterError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";

/** Marks a saved delivery, so that it is never taken for an envelope that happens to have a `body`. */
const FORMAT = "hookporter-delivery/1";

/** A fixture: a whole delivery, or the bytes of an envelope only. */
export type Fixture =
  | { readonly type: "delivery"; readonly delivery: Delivery }
  | { readonly type: "envelope"; readonly body: Uint8Array };

/** A delivery as the text of a fixture file. The body is text where that loses nothing, else base64. */
export function formatDelivery({ method, target, headers, receivedAt, body }: Delivery): string {
  const bytes = Buffer.from(body);
  const text = bytes.toString("utf8");
  const exact = Buffer.from(text, "utf8").equals(bytes);
  const fixture = {
    ...{ format: FORMAT, receivedAt: new Date(receivedAt).toISOString(), method, target, headers },
    bodyEncoding: exact ? "utf8" : "base64",
    body: exact ? text : bytes.toString("base64"),
  };
  return `${JSON.stringify(fixture, null, 2)}\n`;
}

/**
 * Reads a fixture file: a saved delivery, else anything that is JSON, as the raw bytes of an envelope. Fixtures are
 * untrusted: nothing in one chooses where it is sent.
 *
 * @throws HookporterError `fixture_invalid`
 */
export function parseFixture(bytes: Uint8Array, name: string): Fixture {
  let value: unknown;
  try {
    value = JSON.parse(
      Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\uFEFF/, ""),
    );
  } catch (cause) {
    throw new HookporterError(
      "fixture_invalid",
      `${name}: expected a saved delivery or an envelope, got no JSON`,
      {
        cause,
      },
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HookporterError(
      "fixture_invalid",
      `${name}: expected a saved delivery or an envelope as a JSON object`,
    );
  }
  if (!("format" in value) || value.format !== FORMAT) return { type: "envelope", body: bytes };
  return { type: "delivery", delivery: readDelivery(value, name) };
}

function readDelivery(value: object, name: string): Delivery {
  const fixture = value as Record<string, unknown>;
  const { method, target, headers, receivedAt, body, bodyEncoding } = fixture;
  const fail = (field: string): never => {
    throw new HookporterError(
      "fixture_invalid",
      `${name}: expected a saved delivery; its ${field} is not one's`,
    );
  };
  if (typeof method !== "string" || !/^[A-Z]+$/.test(method)) return fail("method");
  if (typeof target !== "string") return fail("target");
  if (typeof headers !== "object" || headers === null || !Object.values(headers).every(isHeaderValue)) {
    return fail("headers");
  }
  if (typeof receivedAt !== "string" || Number.isNaN(Date.parse(receivedAt))) return fail("receivedAt");
  if (typeof body !== "string") return fail("body");
  if (bodyEncoding !== "utf8" && bodyEncoding !== "base64") return fail("bodyEncoding");
  return {
    ...{ method, target, receivedAt: Date.parse(receivedAt), body: Buffer.from(body, bodyEncoding) },
    headers: headers as Delivery["headers"],
  };
}

function isHeaderValue(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((part) => typeof part === "string"))
  );
}
