import { randomBytes, randomInt } from "node:crypto";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { spread, TAMPERINGS } from "../../relay/chaos.ts";
import { triggerDelivery } from "../../relay/trigger.ts";
import { invalidRequest, RequestError } from "../answer.ts";
import type { Triggered } from "../api.ts";
import type { Fields } from "../read-request.ts";
import { MOST_TRIGGERED } from "./most-triggered.ts";
import { type Outgoing, sendDelivery } from "./send-delivery.ts";

/**
 * Signs sample events and sends them one after another, with the faults of the command `trigger`.
 */
export async function triggerSamples(
  fields: Fields,
  outgoing: Outgoing,
): Promise<readonly Triggered[]> {
  const kinds = readKinds(fields);
  const given = fields.optionalText("data");
  const madeUp = fields.flag("samples") ? undefined : outgoing.madeUp;
  const tamper =
    fields.optionalText("tamper") === undefined ? undefined : fields.oneOf("tamper", TAMPERINGS);
  const noSignature = fields.flag("noSignature");
  const count = fields.wholeNumber("count", { least: 1, most: MOST_TRIGGERED }) ?? 1;
  const copies = fields.wholeNumber("duplicate", { least: 1, most: MOST_TRIGGERED }) ?? 1;
  // A date holds little more.
  const [stale = 0, future = 0] = ["stale", "future"].map((text) =>
    fields.wholeNumber(text, { most: 8e15 }),
  );
  if (tamper !== undefined && noSignature)
    throw invalidRequest("expected tamper or noSignature, got both");
  const total = kinds.length * count * copies;
  if (total > MOST_TRIGGERED)
    throw invalidRequest(`expected at most ${MOST_TRIGGERED} deliveries, got ${total}`);
  const { key, reserveInstants, signatureHeader } = outgoing;
  const header = signatureHeader.toLowerCase();
  const events = Array.from({ length: count }, () => kinds).flat();
  // Events must differ, or they would be duplicates: each has a millisecond and, unless data is
  // given, an id of its own.
  const first = (await reserveInstants(events.length)) - stale + future;
  const sendings = events.map((kind, index) => {
    const resource = randomBytes(6).toString("hex");
    const data = given ?? madeUp?.data(kind, randomInt(2 ** 32));
    const terms = { timestamp: first + index, ...(data === undefined ? { resource } : { data }) };
    return { label: kind, ...triggerDelivery(kind, terms, { header, key }) };
  });
  const chaos = { header, noSignature, ...(tamper !== undefined && { tamper }) };
  const triggered: Triggered[] = [];
  for (const { item } of spread(sendings, { copies }, chaos, randomInt(2 ** 32))) {
    const { headers, body } = item;
    triggered.push({ kind: item.label, ...(await sendDelivery(outgoing, { headers, body })) });
  }
  return triggered;
}

function readKinds(fields: Fields): readonly string[] {
  if (fields.flag("all")) return eventKinds;
  const kind = fields.text("kind");
  if (isEventKind(kind)) return [kind];
  const why = `expected an event kind: the kinds are ${eventKinds.join(", ")}`;
  throw new RequestError(400, "input_invalid", why);
}
