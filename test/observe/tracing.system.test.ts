import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AlwaysOnSampler, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { describe, expect, it } from "vitest";
import { createTracing } from "../../src/entries/tracing.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { forwardTo } from "../../src/relay/forward.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { openEndpoint, openReceiver } from "../receiver/open.ts";
import {
  bytes,
  deliveryOf,
  envelope,
  freshEnvelope,
  inboxFile,
  NOW,
  SECRET,
  signedHeaders,
  wrapInbox,
} from "../receiver/sample.ts";
import { ADAPTERS, listenNode } from "../receiver/wire.ts";
import { places, recordSpans } from "./spans.ts";

const { all, spans, span } = recordSpans();

const SENDER_TRACE = "0af7651916cd43dd8448eb211c80319c";
const SENDER_SPAN = "b7ad6b7169203331";
const TRACEPARENT = `00-${SENDER_TRACE}-${SENDER_SPAN}-01`;

let ticks = NOW;

/** Three attempts, a tick of the clock apart. */
const FAST = { retry: { attempts: 3, delay: 1, maxDelay: 1, jitter: 0 }, clock: () => ticks++ };

/** A delivery of a sample, from a sender that names its span. */
function tracedDelivery(traceparent: string = TRACEPARENT) {
  const body = bytes(freshEnvelope());
  return deliveryOf(body, { ...signedHeaders(body), traceparent });
}

describe.each(ADAPTERS)("a trace of a delivery through $name", (adapter) => {
  it("shows the delivery, its attempt below it, and the handler's own request below that", async () => {
    const traceparents: unknown[] = [];
    const books = await listenNode((request, response) => {
      traceparents.push(request.headers.traceparent);
      response.end();
    });
    const { post, receiver } = await openEndpoint(adapter, { tracing: createTracing() });
    receiver.on("payment.received", async () => void (await fetch(books)));
    expect((await post(freshEnvelope())).status).toBe(200);

    const delivery = await span("receive");
    const attempt = await span("process");
    const request = await span("GET");
    expect(places(delivery).parent).toBe(undefined);
    expect(places(attempt).parent).toBe(delivery.spanContext().spanId);
    expect(places(request).parent).toBe(attempt.spanContext().spanId);
    expect(new Set(all().map((span) => places(span).trace)).size).toBe(1);
    const { traceId, spanId } = request.spanContext();
    expect(traceparents).toEqual([`00-${traceId}-${spanId}-01`]);
  });
});

describe("the span of a delivery", () => {
  it("has the conventions' names, and what became of the delivery", async () => {
    const { receiver, entry } = await openReceiver({ tracing: createTracing(), source: "crm" });
    const delivery = deliveryOf(envelope());
    await receiver.accept(delivery);
    const { name, kind, attributes, status } = await span("receive");
    expect({ name, kind, status }).toEqual({
      name: "receive payment.received",
      kind: SpanKind.CONSUMER,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(attributes).toEqual({
      "messaging.system": "hookporter",
      "messaging.operation.name": "receive",
      "messaging.operation.type": "receive",
      "messaging.destination.name": "payment.received",
      "messaging.message.id": (await entry()).key.eventId,
      "messaging.message.body.size": delivery.body.byteLength,
      "hookporter.source": "crm",
      "hookporter.outcome": "accepted",
      "hookporter.entry": 1,
      "hookporter.duplicate": false,
      "hookporter.secret": "current",
    });
  });

  it("says that a delivery is a duplicate", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    await receiver.accept(deliveryOf(envelope()));
    await receiver.accept(deliveryOf(envelope()));
    const received = await spans("receive", 2);
    expect(received.map(({ attributes }) => attributes["hookporter.duplicate"])).toEqual([
      false,
      true,
    ]);
  });

  it("has the reason of a refusal, and is no error for a mistake of the sender", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    const unsigned = bytes(freshEnvelope());
    await receiver.accept(deliveryOf(unsigned, signedHeaders(unsigned, "another-secret")));
    await receiver.accept(deliveryOf("no JSON"));
    const received = await spans("receive", 2);
    expect(
      received.map(({ name, attributes, status }) => [name, attributes["error.type"], status.code]),
    ).toEqual([
      ["receive", "signature_mismatch", SpanStatusCode.UNSET],
      ["receive", "invalid_json", SpanStatusCode.UNSET],
    ]);
  });

  it("is an error if the receiver cannot keep the delivery", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    await receiver.close();
    await receiver.accept(deliveryOf(envelope()));
    const { attributes, status } = await span("receive");
    expect(attributes).toMatchObject({
      "hookporter.outcome": "unavailable",
      "error.type": "closed",
    });
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: "closed" });
  });

  it("is not named after a kind beyond those of the service, of which there may be any number", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    receiver.onUnknown(() => {});
    await receiver.accept(deliveryOf(freshEnvelope({ event: "invoice.sent" })));
    expect((await span("receive")).name).toBe("receive");
    const { name, attributes } = await span("process");
    expect([name, attributes["messaging.destination.name"]]).toEqual(["process", "invoice.sent"]);
  });

  it("covers a delivery from an authenticated channel", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    await receiver.acceptFrom(
      { name: "stream", address: "wss://service.test/" },
      bytes(freshEnvelope()),
    );
    expect((await span("receive")).attributes).toMatchObject({ "hookporter.channel": "stream" });
  });

  it("is below the active span, such as that of the request", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing({ trustSender: true }) });
    const outer = trace.getTracer("test").startActiveSpan("request", (active) => {
      void receiver.accept(tracedDelivery()).then(() => active.end());
      return active;
    });
    expect(places(await span("receive")).parent).toBe(outer.spanContext().spanId);
  });
});

describe("the span that the sender names", () => {
  it("is linked to delivery and attempt, and is the parent of neither", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    receiver.on("*", () => {});
    await receiver.accept(tracedDelivery());
    const delivery = await span("receive");
    const attempt = await span("process");
    expect(places(delivery)).toMatchObject({
      parent: undefined,
      links: [`${SENDER_TRACE} ${SENDER_SPAN}`],
    });
    expect(places(attempt).links).toEqual([`${SENDER_TRACE} ${SENDER_SPAN}`]);
    expect(places(delivery).trace).not.toBe(SENDER_TRACE);
  });

  it("is the parent with trustSender", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing({ trustSender: true }) });
    receiver.on("*", () => {});
    await receiver.accept(tracedDelivery());
    expect(places(await span("receive"))).toMatchObject({
      trace: SENDER_TRACE,
      parent: SENDER_SPAN,
    });
    expect(places(await span("process")).trace).toBe(SENDER_TRACE);
  });

  it.each([
    "",
    "no",
    `ff-${SENDER_TRACE}-${SENDER_SPAN}-01`,
    `00-${"0".repeat(32)}-${SENDER_SPAN}-01`,
    `00-${SENDER_TRACE}-${"0".repeat(16)}-01`,
    `00-${SENDER_TRACE.toUpperCase()}-${SENDER_SPAN}-01`,
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
  ])("is ignored if its header is %j", async (traceparent) => {
    const { receiver } = await openReceiver({ tracing: createTracing({ trustSender: true }) });
    await receiver.accept(tracedDelivery(traceparent));
    expect(places(await span("receive"))).toMatchObject({ parent: undefined, links: [] });
  });

  it("may have more parts in a later version of its header", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    await receiver.accept(tracedDelivery(`01${TRACEPARENT.slice(2)}-more`));
    expect(places(await span("receive")).links).toHaveLength(1);
  });
});

describe("the span of an attempt", () => {
  it("has the conventions' names, and how the attempt ended", async () => {
    const { receiver, entry } = await openReceiver({ tracing: createTracing() });
    receiver.on("payment.received", () => {});
    receiver.on("*", () => {}, { name: "audit" });
    await receiver.accept(deliveryOf(envelope()));
    const { name, kind, attributes, status } = await span("process");
    expect({ name, kind, status }).toEqual({
      name: "process payment.received",
      kind: SpanKind.CONSUMER,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(attributes).toEqual({
      "messaging.system": "hookporter",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "payment.received",
      "messaging.message.id": (await entry()).key.eventId,
      "messaging.message.body.size": bytes(envelope()).byteLength,
      "hookporter.source": "service",
      "hookporter.entry": 1,
      "hookporter.attempt": 1,
      "hookporter.state": "handled",
      "hookporter.handlers": ["payment.received", "audit"],
    });
  });

  it("is one for each retry, in the trace of the delivery", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing(), ...FAST });
    let calls = 0;
    receiver.on("*", () => {
      calls++;
      if (calls < 3) throw new RangeError("not yet");
    });
    await receiver.accept(deliveryOf(envelope()));
    const attempts = await spans("process", 3);
    const delivery = await span("receive");
    expect(attempts.map((attempt) => places(attempt).parent)).toEqual(
      Array(3).fill(delivery.spanContext().spanId),
    );
    expect(attempts.map(({ attributes }) => attributes["hookporter.attempt"])).toEqual([1, 2, 3]);
    expect(attempts.map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.ERROR, message: "RangeError" },
      { code: SpanStatusCode.ERROR, message: "RangeError" },
      { code: SpanStatusCode.UNSET },
    ]);
  });

  it("is a trace with a link to the delivery, if asked", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing({ attempts: "link" }) });
    receiver.on("*", () => {});
    await receiver.accept(deliveryOf(envelope()));
    const delivery = (await span("receive")).spanContext();
    const attempt = places(await span("process"));
    expect(attempt).toMatchObject({
      parent: undefined,
      links: [`${delivery.traceId} ${delivery.spanId}`],
    });
    expect(attempt.trace).not.toBe(delivery.traceId);
  });

  it("belongs to the delivery even in another process, long after", async () => {
    const inbox = inboxFile();
    const first = await openReceiver({ inbox, role: "receive", tracing: createTracing() });
    await first.receiver.accept(deliveryOf(envelope()));
    await first.receiver.close();
    const second = await openReceiver({ inbox, role: "run", tracing: createTracing() });
    second.receiver.on("*", () => {});
    expect(places(await span("process")).parent).toBe((await span("receive")).spanContext().spanId);
  });

  it("is linked to the sender's span if the delivery was received without tracing", async () => {
    const inbox = inboxFile();
    const first = await openReceiver({ inbox, role: "receive" });
    await first.receiver.accept(tracedDelivery());
    await first.receiver.close();
    const second = await openReceiver({ inbox, role: "run", tracing: createTracing() });
    second.receiver.on("*", () => {});
    expect(places(await span("process"))).toMatchObject({
      parent: undefined,
      links: [`${SENDER_TRACE} ${SENDER_SPAN}`],
    });
  });

  it("names a handler's error and its place, and never its message", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing(), ...FAST });
    receiver.on("*", ({ data }) => {
      throw new TypeError(`cannot book ${JSON.stringify(data)}`);
    });
    await receiver.accept(deliveryOf(envelope({ data: { iban: "DE02-payload" } })));
    const [{ events = [], attributes = {} } = {}] = await spans("process", 3);
    expect(events.map(({ name, attributes: named }) => [name, named])).toEqual([
      [
        "exception",
        {
          "exception.type": "TypeError",
          "hookporter.handler": "*",
          "hookporter.at": expect.stringContaining("tracing.system.test.ts"),
        },
      ],
    ]);
    expect(attributes).toMatchObject({ "error.type": "TypeError", "hookporter.state": "failing" });
    const exported = JSON.stringify(
      all().map((span) => [span.name, span.attributes, span.events, span.status]),
    );
    expect(exported).not.toContain("payload");
    expect(exported).not.toContain(SECRET);
    expect(exported).not.toContain("sha256=");
  });

  it("has the messages of errors with errorMessages", async () => {
    const { receiver } = await openReceiver({
      tracing: createTracing({ errorMessages: true }),
      ...FAST,
    });
    receiver.on("*", () => {
      throw new TypeError("the books are closed");
    });
    await receiver.accept(deliveryOf(envelope()));
    const [first] = await spans("process", 3);
    expect(first?.events[0]?.attributes?.["exception.message"]).toBe("the books are closed");
  });

  it("says why an entry became a dead letter", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing(), ...FAST });
    receiver.on("*", () => Promise.reject(new Error("no")));
    await receiver.accept(deliveryOf(envelope()));
    const last = (await spans("process", 3)).at(-1);
    expect(last?.attributes).toMatchObject({
      "hookporter.state": "dead",
      "hookporter.reason": "attempts_exhausted",
      "error.type": "Error",
    });
  });

  it("calls a time-out by its name", async () => {
    const { receiver } = await openReceiver({
      tracing: createTracing(),
      ...FAST,
      handlerTimeout: 5,
    });
    receiver.on("*", () => new Promise(() => {}), { attempts: 1 });
    await receiver.accept(deliveryOf(envelope()));
    expect((await span("process")).attributes).toMatchObject({ "error.type": "timeout" });
  });

  it("marks an entry that ended without a run", async () => {
    const { receiver, untilState } = await openReceiver({ tracing: createTracing() });
    await receiver.accept(deliveryOf(envelope()));
    await untilState("received");
    const { attributes } = await span("process");
    expect(attributes).toMatchObject({ "hookporter.state": "received" });
    expect(attributes).not.toHaveProperty("hookporter.handlers");
  });

  it("is left out for an entry that only waits for a process with its handler", async () => {
    const inbox = inboxFile();
    const { receiver, entry } = await openReceiver({
      inbox,
      role: "receive",
      tracing: createTracing(),
    });
    await receiver.accept(deliveryOf(envelope()));
    expect(await receiver.drain({ budget: 60_000 })).toMatchObject({ waiting: 1 });
    expect(await entry()).toMatchObject({ state: "waiting", reason: "awaits_handler" });
    expect(all().map(({ name }) => name)).toEqual(["receive payment.received"]);
  });

  it("is not below what happens to be active where it runs", async () => {
    const inbox = inboxFile();
    const first = await openReceiver({ inbox, role: "receive" });
    await first.receiver.accept(deliveryOf(envelope()));
    await first.receiver.close();
    const { receiver } = await openReceiver({ inbox, role: "receive", tracing: createTracing() });
    receiver.on("*", () => {});
    await trace.getTracer("test").startActiveSpan("cron", () => receiver.drain({ budget: 60_000 }));
    expect(places(await span("process")).parent).toBe(undefined);
  });

  it("is active in a handler with tx, on PostgreSQL", { timeout: 60_000 }, async () => {
    const inbox = (await pgliteInboxes()).makeInbox();
    const { receiver } = await openReceiver({
      inbox: handleOf(inbox),
      tracing: createTracing(),
      clock: Date.now,
    });
    let active: string | undefined;
    const handler = () => {
      active = trace.getActiveSpan()?.spanContext().spanId;
    };
    receiver.on("*", handler, { tx: true });
    await receiver.accept(deliveryOf(envelope({ timestamp: new Date().toISOString() })));
    const attempt = await span("process");
    expect(attempt.spanContext().spanId).toBe(active);
    expect(attempt.attributes["hookporter.state"]).toBe("handled");
    expect(places(attempt).parent).toBe((await span("receive")).spanContext().spanId);
  });

  it("is made by a drain too", async () => {
    const inbox = inboxFile();
    const { receiver } = await openReceiver({ inbox, role: "receive", tracing: createTracing() });
    receiver.on("*", () => {});
    await receiver.accept(deliveryOf(envelope()));
    expect(all().map(({ name }) => name)).toEqual(["receive payment.received"]);
    expect(await receiver.drain({ budget: 60_000 })).toMatchObject({ handled: 1 });
    expect(places(await span("process")).parent).toBe((await span("receive")).spanContext().spanId);
  });
});

describe("tracing", () => {
  it("keeps the trace context with the delivery, and never takes it from a sender", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    const [adapter] = ADAPTERS;
    const url = await adapter?.listen(receiver);
    const body = bytes(freshEnvelope());
    const headers = { ...signedHeaders(body), "hookporter-traceparent": TRACEPARENT };
    await fetch(String(url), { method: "POST", body, headers });
    const { traceId, spanId } = (await span("receive")).spanContext();
    expect((await inboxOf(receiver).delivery(1))?.headers).toMatchObject({
      "hookporter-traceparent": `00-${traceId}-${spanId}-01`,
    });
  });

  it.each(ADAPTERS)(
    "keeps no trace context that a sender made up, through $name",
    async (adapter) => {
      const { receiver, ask } = await openEndpoint(adapter);
      const body = bytes(freshEnvelope());
      const headers = { ...signedHeaders(body), "hookporter-traceparent": TRACEPARENT };
      expect((await ask({ body, headers })).status).toBe(200);
      expect((await inboxOf(receiver).delivery(1))?.headers).not.toHaveProperty(
        "hookporter-traceparent",
      );
    },
  );

  it("adds no header to a delivery that is forwarded", async () => {
    const seen: object[] = [];
    const target = await listenNode((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    const { receiver, untilState } = await openReceiver({ tracing: createTracing() });
    receiver.on("*", forwardTo(target));
    await receiver.accept(tracedDelivery());
    await untilState("handled");
    expect(seen).toMatchObject([{ traceparent: TRACEPARENT }]);
    expect(seen[0]).not.toHaveProperty("hookporter-traceparent");
  });

  it("leaves claims out, which serve the entries of any delivery", async () => {
    const inbox = memoryInbox();
    const active: unknown[] = [];
    const claim: Inbox["claim"] = (request) => {
      active.push(trace.getActiveSpan());
      return inbox.claim(request);
    };
    const { receiver, untilState } = await openReceiver({
      inbox: handleOf(wrapInbox(inbox, { claim })),
      orderBy: () => "one", // not inserted leased, so it has to be claimed
      tracing: createTracing(),
      poll: 60_000,
    });
    receiver.on("*", () => {});
    await trace
      .getTracer("test")
      .startActiveSpan("request", () => receiver.accept(deliveryOf(envelope())));
    await untilState("handled");
    expect(active.length).toBeGreaterThan(1);
    expect(active.filter((one) => one !== undefined)).toEqual([]);
  });

  it("costs no delivery and no attempt if the SDK fails", async () => {
    const broken = new NodeTracerProvider({
      sampler: Object.assign(new AlwaysOnSampler(), {
        shouldSample: () => {
          throw new Error("a broken sampler");
        },
      }),
    });
    const { receiver, untilState } = await openReceiver({
      tracing: createTracing({ tracerProvider: broken }),
    });
    receiver.on("*", () => {});
    expect(await receiver.accept(deliveryOf(envelope()))).toMatchObject({ type: "accepted" });
    await untilState("handled");
    expect(all()).toEqual([]);
  });

  it("uses the provider that it is given", async () => {
    const { receiver } = await openReceiver({
      tracing: createTracing({ tracerProvider: new NodeTracerProvider() }),
    });
    await receiver.accept(deliveryOf(envelope()));
    expect((await inboxOf(receiver).delivery(1))?.headers).toHaveProperty("hookporter-traceparent");
    expect(all()).toEqual([]);
  });

  it.each([
    { attempts: "parent" },
    { trustSender: "no" },
    { tracerProvider: {} },
    { sender: true },
  ])("refuses the options %j", (options) => {
    const code = "option_invalid";
    expect(() => createTracing(options as object)).toThrow(expect.objectContaining({ code }));
  });
});
