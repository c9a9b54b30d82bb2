import { createHmac, timingSafeEqual } from "node:crypto";
import { SECRET } from "../events.ts";

/**
 * A typical hand-written check: HMAC over the raw body, compared in constant time, then
 * `JSON.parse`.
 */
export function checkAndParse(body: Buffer, header: unknown): unknown {
  if (typeof header !== "string" || !header.startsWith("sha256=")) return undefined;
  const expected = createHmac("sha256", SECRET).update(body).digest();
  const given = Buffer.from(header.slice("sha256=".length), "hex");
  if (given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected))
    return undefined;
  return parseText(body);
}

/** A separate function, so that a profile distinguishes it from the check. */
function parseText(body: Buffer): unknown {
  return JSON.parse(body.toString("utf8"));
}
