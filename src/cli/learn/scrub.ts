import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Delivery } from "../../event/delivery.ts";
import type { Envelope } from "../../event/envelope.ts";
import { readEnvelope } from "../../event/read-envelope.ts";
import { formatDelivery } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { writeOut } from "../files/replace-file.ts";
import { printable } from "../output.ts";
import { gatherFixtures, type NamedFixture } from "../send/gather-fixtures.ts";
import { type Scrubber, scrubberOf } from "../types/scrub.ts";

export interface ScrubOptions {
  readonly inbox?: string;
  readonly to?: string;
  readonly keep?: readonly string[];
  readonly seed?: number;
}

/** Headers that say nothing about who sent or received a delivery. */
const KEPT_HEADERS = new Set(["content-type"]);

/** `fixtures scrub`: replaces the values of fixtures, and keeps their shape. */
export async function scrubFixtures(
  what: readonly string[],
  options: ScrubOptions,
  context: CliContext,
) {
  const { output, io } = context;
  const { fixtures, broken } = await gatherFixtures(what, options, context);
  const kept = new Set(options.keep);
  const key = options.seed === undefined ? randomBytes(32).toString("hex") : `seed ${options.seed}`;
  const scrubber = scrubberOf({ key, keeps: (path) => kept.has(path) });
  let written = 0;
  let unreadable = 0;
  for (const { message } of broken) output.talk(`skipped: ${printable(message, 500)}`);
  for (const { fixture } of fixtures) {
    const scrubbed = scrubOne(fixture, scrubber);
    if (scrubbed === undefined) {
      unreadable++;
      continue;
    }
    written++;
    const { kind, text } = scrubbed;
    const name = `${String(written).padStart(4, "0")}-${kind}.json`;
    if (options.to === undefined)
      output.writeStdout(Buffer.from(`${JSON.stringify(JSON.parse(text))}\n`));
    else writeOut(resolve(io.cwd, options.to, name), text, options.to, true);
  }
  if (unreadable > 0)
    output.talk(
      `left out ${unreadable} that ${unreadable === 1 ? "is not an event" : "are not events"}`,
    );
  output.talk(`${written} scrubbed${options.to === undefined ? "" : ` to ${options.to}`}`);
}

function scrubOne(fixture: NamedFixture["fixture"], scrubber: Scrubber) {
  const read = readEnvelope(fixture.type === "delivery" ? fixture.delivery.body : fixture.body);
  if (!read.ok) return undefined;
  const { envelope, timestamp } = read;
  const body = Buffer.from(JSON.stringify(scrubEnvelope(envelope, scrubber)));
  const given = fixture.type === "delivery" ? fixture.delivery : undefined;
  const headers = Object.entries(given?.headers ?? {}).filter(([name]) => KEPT_HEADERS.has(name));
  const delivery: Delivery = {
    method: given?.method ?? "POST",
    target: "/webhooks",
    // The signature was made over other bytes: `replay` signs anew.
    headers: { "content-type": "application/json", ...Object.fromEntries(headers) },
    receivedAt: given?.receivedAt ?? timestamp,
    body,
  };
  return { kind: envelope.event.replace(/[^\w.-]/g, "_"), text: formatDelivery(delivery) };
}

/** Kind and timestamp stay; fields beside those of the envelope are left out. */
function scrubEnvelope({ event, timestamp, data, webhook }: Envelope, scrubber: Scrubber): object {
  const name = scrubber.nameOf(webhook.id);
  return {
    event,
    timestamp,
    data: scrubber.scrub(data),
    webhook: { id: `wh_scrubbed_${name}`, url: `https://sample.invalid/${name}` },
  };
}
