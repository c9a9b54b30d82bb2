import { HookporterError } from "../base/errors.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { SIGNATURE_PREFIX } from "../signature/signature-format.ts";
import { seededRandom } from "./random.ts";
import { type Scheduled, type ScheduleOptions, schedule } from "./schedule.ts";

/** The parts that can be tampered with, so that the signature no longer matches the delivery. */
export const TAMPERINGS = ["signature", "body", "header"] as const;

/**
 * One of them: a digit of the digest, a bit of the body, or the format of the header around the
 * correct digest.
 */
export type Tampering = (typeof TAMPERINGS)[number];

/** What chaos did to a sending: nothing (`null`), or one of these. */
export type Disturbance = Tampering | "no_signature" | "drop" | null;

/** The faults to simulate between the sender and the endpoint. */
export interface DisturbOptions {
  /** The share of sendings to drop, from 0 to 1. */
  readonly drop?: number;
  readonly tamper?: Tampering;
  readonly noSignature?: boolean;
  /** The name of the signature header, in lower case. */
  readonly header: string;
}

export interface Sendable {
  readonly label: string;
  /** The query to send if the target has none. */
  readonly query?: string | undefined;
  readonly headers: DeliveryHeaders;
  readonly body: Uint8Array;
}

/** A sending after chaos. */
export type Disturbed<Item extends Sendable> = Scheduled<Item> & { readonly chaos: Disturbance };

/**
 * Disturbs sendings. Pure, so that a seed repeats a run. Each sending takes two random numbers
 * whatever the options, so that adding an option does not change the choices of the others. Throws
 * `fixture_invalid` for a delivery to tamper with that has no signature.
 */
export function disturb<Item extends Sendable>(
  sendings: readonly Scheduled<Item>[],
  { drop = 0, tamper, noSignature = false, header }: DisturbOptions,
  random: () => number,
): readonly Disturbed<Item>[] {
  return sendings.map(({ item, at }) => {
    const lost = random() < drop;
    const draw = random();
    if (lost) return { item, at, chaos: "drop" };
    if (noSignature) {
      const kept = Object.entries(item.headers).filter(([name]) => name.toLowerCase() !== header);
      return { item: { ...item, headers: Object.fromEntries(kept) }, at, chaos: "no_signature" };
    }
    if (tamper === undefined) return { item, at, chaos: null };
    if (tamper === "body")
      return { item: { ...item, body: flipBit(item.body, draw) }, at, chaos: tamper };
    const change = tamper === "signature" ? otherDigit : brokenForm;
    const headers = { ...item.headers, [header]: change(signatureOf(item, header), draw) };
    return { item: { ...item, headers }, at, chaos: tamper };
  });
}

function signatureOf({ headers, label }: Sendable, header: string): string {
  const [value] = [headers[header]].flat();
  if (value?.startsWith(SIGNATURE_PREFIX) && value.length > SIGNATURE_PREFIX.length) return value;
  const expected = `expected a header ${header} that begins with ${SIGNATURE_PREFIX}`;
  throw new HookporterError(
    "fixture_invalid",
    `${label}: ${expected} to tamper with, got none: omit --exact to sign it`,
  );
}

/** Changes one hex digit; the result still has the format of a signature. */
function otherDigit(signature: string, draw: number): string {
  const at = SIGNATURE_PREFIX.length; // the first, since only the first few are shown
  const digit = Number.parseInt(signature[at] ?? "", 16) || 0;
  const other = (digit + 1 + (Math.floor(draw * 64 * 15) % 15)) % 16;
  return signature.slice(0, at) + other.toString(16) + signature.slice(at + 1);
}

function flipBit(body: Uint8Array, draw: number): Uint8Array {
  if (body.byteLength === 0) return Buffer.from(" ");
  const changed = Buffer.from(body);
  const at = Math.floor(draw * changed.byteLength);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** The correct digest in a format that no receiver may accept. */
function brokenForm(signature: string, draw: number): string {
  const digest = signature.slice(SIGNATURE_PREFIX.length);
  const forms = [
    signature.toUpperCase(),
    digest,
    SIGNATURE_PREFIX + signature,
    signature.slice(0, -1),
    `sha256:${digest}`,
    SIGNATURE_PREFIX + Buffer.from(digest, "hex").toString("base64"),
  ];
  return forms[Math.floor(draw * forms.length)] ?? digest;
}

/**
 * Chaos has its own random sequence, so that it does not change the order and the delays of a seed.
 */
const CHAOS_ROW = 0x9e3779b9;

/** Spreads sendings out and disturbs them. Pure, so that a seed repeats a run. */
export function spread<Item extends Sendable>(
  sendings: readonly Item[],
  schedules: ScheduleOptions,
  chaos: DisturbOptions,
  seed: number,
): readonly Disturbed<Item>[] {
  const scheduled = schedule(sendings, schedules, seededRandom(seed));
  return disturb(scheduled, chaos, seededRandom((seed ^ CHAOS_ROW) >>> 0));
}
