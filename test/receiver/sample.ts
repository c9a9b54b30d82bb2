import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Delivery, DeliveryHeaders } from "../../src/event/delivery.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { provideInboxFile } from "../../src/inbox/sqlite/inbox-file.ts";
import type { Logger } from "../../src/logger.ts";
import { SIGNATURE_HEADER, sign } from "../../src/signature/sign.ts";

/** The secret of the receivers under test. */
export const SECRET = "receiver-tests-secret-0123456789";

/** What their clocks show at first. */
export const NOW = Date.UTC(2026, 0, 15, 10);

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** An envelope, dated now; what is not given is the sample's. */
export function envelope(parts: object = {}) {
  return {
    event: "payment.received",
    timestamp: new Date(NOW).toISOString(),
    data: { id: "payment_1", amount: 1200 },
    webhook: { id: "wh_1", url: "https://receiver.test/webhooks" },
    ...parts,
  };
}

/** An envelope that differs from all others. */
export function freshEnvelope(parts: object = {}) {
  return envelope({ data: { id: randomUUID() }, ...parts });
}

/** An envelope's timestamp, so far from now. */
export function at(offset: number): string {
  return new Date(NOW + offset).toISOString();
}

/** Bytes as they are, anything else as JSON. */
export function bytes(content: object | string): Buffer {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(JSON.stringify(content));
}

/** The headers of a delivery as the service sends it. */
export function signedHeaders(body: Uint8Array, secret: string = SECRET): Record<string, string> {
  return { "content-type": "application/json", [SIGNATURE_HEADER]: sign(body, secret) };
}

/** A whole signed delivery. */
export function deliveryOf(content: object | string, headers?: DeliveryHeaders, receivedAt = NOW): Delivery {
  const body = bytes(content);
  return { method: "POST", target: "/webhooks", headers: headers ?? signedHeaders(body), body, receivedAt };
}

/** The bytes of a kept delivery; stores give them as they like. */
export async function keptBytes(inbox: Inbox, seq = 1): Promise<Buffer> {
  return Buffer.from((await inbox.delivery(seq))?.body ?? "nothing was kept");
}

/** A clock that stands still until it is set. */
export function frozenClock(): { now: number } {
  return { now: NOW };
}

/** A logger that keeps what it is told. */
export function keptLog() {
  const lines: { level: string; fields: object; message: string }[] = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const log: Logger = {
    debug: keep("debug"),
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
  };
  return { log, lines };
}

/** A promise and what settles it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(open); // nothing waits for it longer than the test
  return { opened, open };
}

/** The path of an inbox file in a folder that ends with the test. */
export function inboxFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return provideInboxFile(join(folder, "inbox.sqlite")).path; // not new, so that the log says nothing of it
}

/** An inbox with some of its methods replaced; where it has its own way to append, deliveries go that way. */
export function wrapInbox(inbox: Inbox, own: Partial<Inbox>): Inbox {
  return new Proxy(inbox, {
    get(real, name) {
      if (name === "keep" && (own.append ?? own.touch) !== undefined) return own.keep;
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

/** Collects what nobody caught while the test runs. */
export function uncaught(): unknown[] {
  const caught: unknown[] = [];
  const keep = (thrown: unknown) => void caught.push(thrown);
  process.on("unhandledRejection", keep).on("uncaughtException", keep);
  onTestFinished(() => {
    process.off("unhandledRejection", keep).off("uncaughtException", keep);
  });
  return caught;
}
