import type { KeyObject } from "node:crypto";
import { HookporterError } from "../base/errors.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { restamp } from "../event/restamp.ts";
import { sign } from "../signature/sign.ts";
import type { Sendable } from "./chaos.ts";
import type { Fixture } from "./fixture.ts";
import { passedOn } from "./hop-by-hop.ts";
import { queryOf } from "./query.ts";

type ReplaySending = Omit<Sendable, "label">;

/**
 * A sending that is created on first access, so that the first of many can be sent before the
 * others are signed.
 */
export function lazySending(label: string, make: () => ReplaySending): Sendable {
  let made: ReplaySending | undefined;
  const sending = () => {
    made ??= make();
    return made;
  };
  return {
    label,
    get headers() {
      return sending().headers;
    },
    get body() {
      return sending().body;
    },
  };
}

/**
 * The same bytes, the same signature and the same query. Throws `fixture_invalid` for an envelope,
 * which has no signature.
 */
export function exactSending(fixture: Fixture, name: string): ReplaySending {
  if (fixture.type === "delivery") {
    const { headers, body } = fixture.delivery;
    return { query: queryOf(fixture.delivery), headers: passedOn(headers), body };
  }
  throw new HookporterError(
    "fixture_invalid",
    `${name}: expected a saved delivery, got an envelope, which has no signature: omit --exact to sign it`,
  );
}

/**
 * The same body with `timestamp` set to now, signed again. A body without a timestamp is signed
 * unchanged. Sends one signature and one content type, however the saved headers are spelled.
 */
export function freshSending(
  fixture: Fixture,
  { key, header, now }: { key: KeyObject; header: string; now: number },
): ReplaySending {
  const { headers, body } = unsignedSending(fixture, now);
  const signed: Record<string, DeliveryHeaders[string]> = { ...headers };
  // assigned, since a computed key in a literal is much slower in V8
  signed[header.toLowerCase()] = sign(body, key);
  return { headers: signed, body };
}

/**
 * The same body with `timestamp` set to now, and the saved headers, which may contain the old
 * signature.
 */
export function unsignedSending(fixture: Fixture, now: number): ReplaySending {
  if (fixture.type === "envelope")
    return {
      headers: { "content-type": "application/json" },
      body: restamp(fixture.body, now) ?? fixture.body,
    };
  const { headers: saved, body } = fixture.delivery;
  const headers = Object.fromEntries(
    Object.entries(saved).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const [contentType = "application/json"] = [headers["content-type"]].flat();
  return { headers: { ...headers, "content-type": contentType }, body: restamp(body, now) ?? body };
}
