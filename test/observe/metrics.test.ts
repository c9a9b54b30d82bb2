import * as client from "prom-client";
import { describe, expect, it } from "vitest";
import { INBOX_ERROR_CODES } from "../../src/base/errors.ts";
import { driftFrom } from "../../src/cli/types/drift.ts";
import { type Learned, learn } from "../../src/cli/types/shape.ts";
import { collectMetrics } from "../../src/entries/metrics.ts";
import { REJECTION_REASONS } from "../../src/event/rejection.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { DEAD_REASONS } from "../../src/inbox/reasons.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { REFUSALS } from "../../src/receiver/refusals.ts";
import { SIGNATURE_REASONS } from "../../src/signature/signature-format.ts";
import { openReceiver } from "../receiver/open.ts";
import { bytes, freshEnvelope, NOW, signedHeaders, until, wrapInbox } from "../receiver/sample.ts";
import { postTo } from "./posting.ts";
import { samples } from "./samples.ts";

/** A receiver whose metrics are in a registry of its own. */
async function openMeasured(options: Parameters<typeof openReceiver>[0] = {}) {
  const opened = await openReceiver(options);
  const registry = new client.Registry();
  const stop = collectMetrics(opened.receiver, { registry, clock: () => opened.clock.now });
  const scrape = async () => samples(await registry.metrics());
  return { ...opened, registry, stop, scrape, post: postTo(opened.receiver) };
}

describe("the metrics of deliveries", () => {
  it("count new events, duplicates, refusals and dead letters, each with its reason", async () => {
    const { post, scrape } = await openMeasured();
    const event = freshEnvelope();
    await post(event);
    await post(event);
    await post(event);
    await post(freshEnvelope(), { secret: "another-secret-0123456789" });
    await post("no JSON");
    await post(freshEnvelope(), { method: "GET" });
    const read = await scrape();
    expect(read('hookporter_deliveries_total{outcome="accepted",reason=""}')).toBe(1);
    expect(read('hookporter_deliveries_total{outcome="duplicate",reason=""}')).toBe(2);
    expect(
      read('hookporter_deliveries_total{outcome="unauthorized",reason="signature_mismatch"}'),
    ).toBe(1);
    expect(read('hookporter_deliveries_total{outcome="rejected",reason="invalid_json"}')).toBe(1);
    expect(read('hookporter_deliveries_total{outcome="refused",reason="wrong_method"}')).toBe(1);
    expect(read('hookporter_events_total{kind="payment.received"}')).toBe(1);
    expect(read('hookporter_duplicates_total{kind="payment.received"}')).toBe(2);
    expect(read('hookporter_dead_letters_total{reason="invalid_json"}')).toBe(1);
    expect(read('hookporter_answer_duration_seconds_count{outcome="accepted"}')).toBe(1);
  });

  it("say of each source when the latest authentic delivery came, and whether none is authentic any more", async () => {
    const { receiver, clock, scrape } = await openMeasured();
    const day = { day: Math.floor(NOW / 86_400_000), events: 30, longestGap: 2 * 3_600_000 };
    const mismatches = { count: 9, bodies: 3, from: NOW + 1, to: NOW + 2 };
    const record = (note: object) =>
      inboxOf(receiver).recordSender?.({ source: "service", days: [], ...note });
    await record({ authentic: { first: NOW, last: NOW }, days: [day] });
    await record({ source: "crm", mismatches });
    const read = await scrape();
    expect(read('hookporter_last_authentic_delivery_timestamp_seconds{source="service"}')).toBe(
      NOW / 1000,
    );
    expect(
      read('hookporter_last_authentic_delivery_timestamp_seconds{source="crm"}'),
    ).toBeUndefined();
    expect(read('hookporter_normal_silence_seconds{source="service"}')).toBe(6 * 3600);
    expect(read('hookporter_normal_silence_seconds{source="crm"}')).toBeUndefined();
    expect(read('hookporter_signature_mismatches{source="service"}')).toBe(0);
    expect(read('hookporter_signature_mismatches{source="crm"}')).toBe(9);
    clock.now = NOW + 7 * 3_600_000;
    expect((await scrape())('hookporter_no_authentic{source="service"}')).toBe(0);
    await record({ mismatches });
    await until(async () => {
      const later = await scrape(); // the inbox is read once a second
      expect(later('hookporter_no_authentic{source="service"}')).toBe(1);
      expect(later('hookporter_no_authentic{source="crm"}')).toBe(0);
    });
  });

  it("begin at 0 for every known reason, so that the first one is an increase", async () => {
    const { scrape } = await openMeasured();
    const read = await scrape();
    const dead = Object.keys(DEAD_REASONS).filter((reason) => reason !== "dropped");
    for (const reason of dead)
      expect(read(`hookporter_dead_letters_total{reason="${reason}"}`)).toBe(0);
    const outcomes = [
      ...Object.keys(REJECTION_REASONS).map((reason) => ["rejected", reason]),
      ...Object.keys(SIGNATURE_REASONS).map((reason) => ["unauthorized", reason]),
      ...Object.keys(REFUSALS).map((reason) => ["refused", reason]),
      ...[...INBOX_ERROR_CODES, "closed"].map((reason) => ["unavailable", reason]),
    ];
    for (const [outcome, reason] of outcomes)
      expect(read(`hookporter_deliveries_total{outcome="${outcome}",reason="${reason}"}`)).toBe(0);
    expect(read('hookporter_events_total{kind="lead.created"}')).toBe(0);
  });

  it("have one label for all kinds beyond the twelve", async () => {
    const { post, scrape } = await openMeasured();
    for (let n = 0; n < 5; n++) await post(freshEnvelope({ event: `invented.kind_${n}` }));
    const text = await scrape();
    expect(text('hookporter_events_total{kind="other"}')).toBe(5);
    expect(text.all).not.toContain("invented");
  });
});

describe("the metrics of runs", () => {
  it("count attempts by kind, handler and outcome, and what became of entries", async () => {
    const { receiver, post, scrape } = await openMeasured({ retry: { attempts: 2, delay: 0 } });
    receiver.on("payment.received", () => {}, { name: "books" });
    receiver.on("lead.created", () => Promise.reject(new Error("no")), { name: "crm" });
    await post(freshEnvelope());
    await post(freshEnvelope({ event: "lead.created" }));
    await post(freshEnvelope({ event: "expense.created" }));
    await until(async () => {
      const read = await scrape();
      expect(read('hookporter_runs_total{state="dead"}')).toBe(1);
      expect(read('hookporter_runs_total{state="handled"}')).toBe(1);
      expect(read('hookporter_runs_total{state="received"}')).toBe(1);
    });
    const read = await scrape();
    const ok = 'hookporter_attempts_total{kind="payment.received",handler="books",outcome="ok"}';
    expect(read(ok)).toBe(1);
    expect(read(ok.replace('"ok"', '"error"'))).toBe(0);
    expect(
      read('hookporter_attempts_total{kind="lead.created",handler="crm",outcome="error"}'),
    ).toBe(2);
    expect(
      read('hookporter_attempt_duration_seconds_count{kind="lead.created",handler="crm"}'),
    ).toBe(2);
    expect(read('hookporter_runs_total{state="failing"}')).toBe(1);
    expect(read('hookporter_dead_letters_total{reason="attempts_exhausted"}')).toBe(1);
  });

  it("count how events began to differ from the shape file, each difference once, from 0", async () => {
    const learned: Learned = new Map();
    const kinds = ["payment.received", "invented.kind"];
    for (const kind of kinds)
      for (let at = 0; at < 3; at++) learn(learned, kind, { id: "pay_1" }, at);
    const { receiver, post, scrape } = await openMeasured({ drift: driftFrom(learned) });
    receiver.on("*", () => {});
    const total = (kind: string, change: string) =>
      `hookporter_drift_differences_total{kind="${kind}",change="${change}"}`;
    expect((await scrape())(total("payment.received", "new field"))).toBe(0);
    for (const id of [7, 8])
      for (const event of kinds) await post(freshEnvelope({ event, data: { id, more: "x" } }));
    await until(async () =>
      expect((await scrape())('hookporter_runs_total{state="handled"}')).toBe(4),
    );
    const read = await scrape();
    for (const kind of ["payment.received", "other"])
      for (const change of ["new field", "type changed"]) expect(read(total(kind, change))).toBe(1);
    expect(read(total("payment.received", "field gone"))).toBe(0);
    expect(read.all).not.toContain("invented");
  });

  it("tell at most 50 handlers apart", async () => {
    const { receiver, post, scrape } = await openMeasured();
    for (let n = 0; n < 60; n++)
      receiver.on("payment.received", () => {}, { name: `handler ${n}` });
    await post(freshEnvelope());
    await until(async () =>
      expect((await scrape())('hookporter_runs_total{state="handled"}')).toBe(1),
    );
    const read = await scrape();
    const ok = (handler: string) =>
      read(`hookporter_attempts_total{kind="payment.received",handler="${handler}",outcome="ok"}`);
    expect(ok("handler 49")).toBe(1);
    expect(ok("handler 50")).toBeUndefined();
    expect(ok("other")).toBe(10);
  });
});

describe("the metrics of the inbox", () => {
  it("are the entries by state, and the age of the oldest that is due", async () => {
    const { post, scrape, clock } = await openMeasured({ role: "receive" });
    await post(freshEnvelope());
    await post(freshEnvelope());
    clock.now += 90_000;
    const read = await scrape();
    expect(read('hookporter_entries{state="waiting"}')).toBe(2);
    expect(read('hookporter_entries{state="dead"}')).toBe(0);
    expect(read("hookporter_oldest_due_age_seconds")).toBe(90);
    expect(read("hookporter_inbox_readable")).toBe(1);
    expect(read("hookporter_inbox_size_bytes")).toBeGreaterThan(0);
  });

  it("are read once for scrapes that follow each other, and never twice at a time", async () => {
    let reads = 0;
    const inner = memoryInbox();
    const counts: Inbox["counts"] = () => {
      reads++;
      return inner.counts();
    };
    const { scrape } = await openMeasured({ inbox: handleOf(wrapInbox(inner, { counts })) });
    await Promise.all([scrape(), scrape(), scrape()]);
    await scrape();
    expect(reads).toBe(1);
  });

  it.each([
    ["cannot be read", () => Promise.reject(new Error("away"))],
    ["does not answer", () => new Promise<never>(() => {})],
  ])("have no value while the inbox %s", async (_, counts) => {
    const { scrape } = await openMeasured({
      inbox: handleOf(wrapInbox(memoryInbox(), { counts })),
    });
    const read = await scrape();
    expect(read("hookporter_inbox_readable")).toBe(0);
    expect(read('hookporter_entries{state="waiting"}')).toBeUndefined();
    expect(read("hookporter_oldest_due_age_seconds")).toBeUndefined();
    expect(read("hookporter_ready")).toBe(1);
  });
});

describe("the metrics of the process", () => {
  it("are its version, whether it is ready, and the delay of its event loop", async () => {
    const { receiver, scrape } = await openMeasured();
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 50)); // the monitor's timer must run once
    while (performance.now() - before < 300); // blocks the event loop
    await new Promise((resolve) => setTimeout(resolve, 50));
    const read = await scrape();
    expect(read("hookporter_ready")).toBe(1);
    expect(read.all).toMatch(/hookporter_info\{version="\d/);
    await receiver.close();
    expect((await scrape())("hookporter_ready")).toBe(0);
  });
});

describe("collectMetrics", () => {
  it("returns a function that takes the metrics out of the registry, and stops counting", async () => {
    const { post, registry, stop, receiver } = await openMeasured();
    await post(freshEnvelope());
    stop();
    expect(await registry.metrics()).toBe("\n");
    const again = collectMetrics(receiver, { registry });
    expect(
      samples(await registry.metrics())('hookporter_events_total{kind="payment.received"}'),
    ).toBe(0);
    again();
  });

  it("refuses a registry with the metrics of another receiver, an unknown option, and a clock that is no function", async () => {
    const { registry } = await openMeasured();
    const { receiver } = await openReceiver();
    for (const options of [{ registry }, { registy: new client.Registry() }, { clock: 0 }]) {
      expect(() => Reflect.apply(collectMetrics, undefined, [receiver, options])).toThrow(
        expect.objectContaining({ code: "option_invalid" }),
      );
    }
    expect(await client.register.metrics()).toBe("\n");
  });

  it("uses prom-client's own registry unless told otherwise", async () => {
    const { receiver } = await openReceiver();
    const stop = collectMetrics(receiver);
    expect(await client.register.metrics()).toContain("hookporter_ready 1");
    stop();
    expect(await client.register.metrics()).not.toContain("hookporter");
  });

  it("shows no body, no secret and no header", async () => {
    const { receiver, registry } = await openMeasured();
    receiver.on("*", () => Promise.reject(new Error("canary-error")));
    const body = bytes(freshEnvelope({ data: { id: "canary-payload" } }));
    const headers = { ...signedHeaders(body), authorization: "Bearer canary-header" };
    await postTo(receiver)(body, { headers });
    await until(async () => expect(await registry.metrics()).toContain('outcome="error"} 1'));
    expect(await registry.metrics()).not.toContain("canary");
  });
});
