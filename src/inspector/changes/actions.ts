import { EVENT_KINDS, type EventKind, eventKinds } from "../../event/kinds.ts";
import { restamp } from "../../event/restamp.ts";
import { sampleEvent } from "../../event/sample.ts";
import { queryOf } from "../../relay/query.ts";
import { exactSending, freshSending } from "../../relay/replay.ts";
import { sign } from "../../signature/sign.ts";
import { RequestError } from "../answer.ts";
import type { Sample, Sent } from "../api.ts";
import type { Kept } from "../entries/entries.ts";
import type { Fields } from "../read-request.ts";
import { type Outgoing, readTarget, sendDelivery } from "./send-delivery.ts";

/**
 * Sends a delivery again: with `exact` the same bytes and signature, else with a new timestamp and
 * signature.
 */
export function replay(
  { entry, delivery }: Kept,
  fields: Fields,
  outgoing: Outgoing,
): Promise<Sent> {
  const fixture = { type: "delivery", delivery } as const;
  const { key, signatureHeader: header, clock } = outgoing;
  const { query, headers, body } = fields.flag("exact")
    ? exactSending(fixture, `entry ${entry.seq}`)
    : freshSending(fixture, { key, header, now: clock() });
  return sendDelivery(outgoing, { query, headers, body });
}

export async function forward(
  { delivery }: Kept,
  fields: Fields,
  outgoing: Outgoing,
): Promise<Sent> {
  const target = readTarget(fields.text("to"), outgoing);
  const { headers, body } = delivery;
  return sendDelivery(outgoing, { query: queryOf(delivery), headers, body, target });
}

/**
 * Signs a text and sends it to the receiver; sets its timestamp if requested, and changes nothing
 * else.
 */
export function sendText(fields: Fields, outgoing: Outgoing): Promise<Sent> {
  const given = Buffer.from(fields.text("body"), "utf8");
  const dated = fields.flag("restamp") ? restamp(given, outgoing.clock()) : given;
  if (dated === undefined) {
    throw new RequestError(
      400,
      "input_invalid",
      "expected a JSON object with a timestamp, got something else: turn off the new timestamp to send it unchanged",
    );
  }
  const { signatureHeader, key } = outgoing;
  const headers = { "content-type": "application/json", [signatureHeader]: sign(dated, key) };
  return sendDelivery(outgoing, { headers, body: dated });
}

export function listSamples({ madeUp }: Pick<Outgoing, "madeUp">): readonly Sample[] {
  return eventKinds.map((kind: EventKind) => ({
    kind,
    ...EVENT_KINDS[kind],
    documented: kind === "property.created",
    data: JSON.stringify(sampleEvent(kind).data, null, 2),
    madeUpFrom: madeUp?.data(kind, 0) === undefined ? null : madeUp.file,
  }));
}
