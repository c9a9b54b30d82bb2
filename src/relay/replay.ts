import type { KeyObject } from "node:crypto";
import { HookporterError } from "../errors.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { restamp } from "../event/restamp.ts";
import { sign } from "../signature/sign.ts";
import type { Sendable } from "./chaos.ts";
import type { Fixture } from "./fixture.ts";

/** What is sent for a fixture. */
export interface ReplaySending {
  readonly headers: DeliveryHeaders;
  readonly body: Uint8Array;
}

/** A sending that is made when it is first looked at, so that the first of many can leave before the others are signed. */
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
 * The same bytes and the same signature.
 *
 * @throws HookporterError `fixture_invalid` for an envelope, which has no signature to send again
 */
export function exactSending(fixture: Fixture, name: string): ReplaySending {
  if (fixture.type === "delivery") return fixture.delivery;
  throw new HookporterError(
    "fixture_invalid",
    `${name}: expected a saved delivery, got an envelope, which has no signature: leave --exact out to sign it`,
  );
}

/**
 * The same body with `timestamp` set to now, signed anew. A body that has no timestamp is signed as it is. Whatever the
 * spelling of the saved headers, one signature and one content type are sent.
 */
export function freshSending(
  fixture: Fixture,
  { key, header, now }: { key: KeyObject; header: string; now: number },
): ReplaySending {
  const { headers, body } = unsignedSending(fixture, now);
  const signed: Record<string, DeliveryHeaders[string]> = { ...headers };
  signed[header.toLowerCase()] = sign(body, key); // by assignment: a computed key in a literal takes V8 much longer
  return { headers: signed, body };
}

/** The same body with `timestamp` set to now, and the saved headers, which may hold a signature of then. */
export function unsignedSending(fixture: Fixture, now: number): ReplaySending {
  if (fixture.type === "envelope") {
    return {
      headers: { "content-type": "application/json" },
      body: restamp(fixture.body, now) ?? fixture.body,
    };
  }
  const { headers: saved, body } = fixture.delivery;
  const headers = Object.fromEntries(
    Object.entries(saved).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const [contentType = "application/json"] = [headers["content-type"]].flat();
  return { headers: { ...headers, "content-type": contentType }, body: restamp(body, now) ?? body };
}
