import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, onTestFinished, vi } from "vitest";
import {
  type Delivery,
  type DeliveryHeaders,
  type Logger,
  type Outcome,
  type ReceiverOptions,
  SIGNATURE_HEADER,
  sign,
} from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { provideInboxFile } from "../../src/inbox/sqlite/file/inbox-file.ts";
import { authenticate } from "../../src/receiver/admit.ts";
import { declaredHandlers } from "../../src/receiver/handlers/declared-handlers.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { keep } from "../../src/receiver/receive.ts";
import { newState } from "../../src/receiver/state.ts";

/** The secret of the tested receivers. */
export const SECRET = "receiver-tests-secret-0123456789";

/** The initial time of their clocks. */
export const NOW = Date.UTC(2026, 0, 15, 10);

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** A sample envelope with the timestamp `NOW`, overridden by the given parts. */
export function envelope(parts: object = {}) {
  return {
    event: "payment.received",
    timestamp: new Date(NOW).toISOString(),
    data: { id: "payment_1", amount: 1200 },
    webhook: { id: "wh_1", url: "https://receiver.test/webhooks" },
    ...parts,
  };
}

/** A unique envelope. */
export function freshEnvelope(parts: object = {}) {
  return envelope({ data: { id: randomUUID() }, ...parts });
}

/** An envelope's timestamp, at an offset from `NOW`. */
export function at(offset: number): string {
  return new Date(NOW + offset).toISOString();
}

/** Bytes and strings unchanged, anything else as JSON. */
export function bytes(content: object | string): Buffer {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array
    ? Buffer.from(content)
    : Buffer.from(JSON.stringify(content));
}

/** A delivery's headers, as the service sends them. */
export function signedHeaders(body: Uint8Array, secret: string = SECRET): Record<string, string> {
  return { "content-type": "application/json", [SIGNATURE_HEADER]: sign(body, secret) };
}

/** A complete signed delivery. */
export function deliveryOf(
  content: object | string,
  headers?: DeliveryHeaders,
  receivedAt = NOW,
): Delivery {
  const body = bytes(content);
  return {
    method: "POST",
    target: "/webhooks",
    headers: headers ?? signedHeaders(body),
    body,
    receivedAt,
  };
}

/** A delivery of an event that happens now, of the machine's clock; each time another one. */
export function deliveryNow(parts: object = {}): Delivery {
  const now = Date.now();
  const event = freshEnvelope({ timestamp: new Date(now).toISOString(), ...parts });
  return deliveryOf(event, undefined, now);
}

/** The bytes of a stored delivery as a Buffer, since inboxes return different types. */
export async function keptBytes(inbox: Inbox, seq = 1): Promise<Buffer> {
  return Buffer.from((await inbox.delivery(seq))?.body ?? "nothing was kept");
}

/** A clock that changes only when set. */
export function frozenClock(): { now: number } {
  return { now: NOW };
}

/**
 * A logger that keeps its lines: those about outcomes, which every delivery and every run has,
 * apart.
 */
export function keptLog() {
  const lines: { level: string; fields: object; message: string }[] = [];
  const outcomes: typeof lines = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void ("outcome" in fields ? outcomes : lines).push({ level, fields, message });
  const log: Logger = {
    debug: keep("debug"),
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
  };
  return { log, lines, outcomes };
}

/** A promise and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(open); // opens at the end of the test, so nothing waits longer
  return { opened, open };
}

/** The path of an inbox file in a temporary folder, removed after the test. */
export function inboxFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // not new, so that nothing is logged about it
  return provideInboxFile(join(folder, "inbox.sqlite")).path;
}

/** What a receiver makes of its options, before anything is opened. */
export function partsOf(options: ReceiverOptions) {
  const settings = readOptions(options);
  return { settings, state: newState(options.inbox, settings, declaredHandlers(options)) };
}

type Parts = ReturnType<typeof partsOf>;
export type KeepTerms = Partial<Omit<Parameters<typeof keep>[2], keyof Parts>>;

/** Accepts a delivery that has to be signed, as a receiver does. */
export async function accept(
  delivery: Delivery,
  parts: Parts,
  terms: KeepTerms = {},
): Promise<Outcome> {
  const proof = authenticate(delivery, parts.settings);
  return proof.type === "authentic" ? keep(delivery, proof, { ...parts, ...terms }) : proof;
}

/** An inbox with some methods replaced. */
export function wrapInbox(inbox: Inbox, own: Partial<Inbox>): Inbox {
  return new Proxy(inbox, {
    get(real, name) {
      const replaced = own[name as keyof Inbox];
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(real, name, real);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
}

/** Polls until an expectation holds. */
export function until<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 5000, interval: 3 });
}

/** Keeps the warnings of each test of the file, instead of printing them. */
export function keepWarnings(): readonly string[] {
  const warnings: string[] = [];
  beforeEach(() => {
    warnings.length = 0;
    vi.spyOn(process, "emitWarning").mockImplementation(
      (message) => void warnings.push(String(message)),
    );
  });
  afterEach(() => void vi.restoreAllMocks());
  return warnings;
}

/** Collects uncaught errors and rejections during the test. */
export function uncaught(): unknown[] {
  const caught: unknown[] = [];
  const keep = (thrown: unknown) => void caught.push(thrown);
  process.on("unhandledRejection", keep).on("uncaughtException", keep);
  onTestFinished(() => {
    process.off("unhandledRejection", keep).off("uncaughtException", keep);
  });
  return caught;
}
