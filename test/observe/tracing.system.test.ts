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
  const madeUp = () => {
    const body = bytes(freshEnvelope());
    return { body, headers: { ...signedHeaders(body), "hookporter-traceparent": TRACEPARENT } };
  };

  it("shows the delivery, its attempt below it, and the handler's own request below that", async () => {
    const traceparents: unknown[] = [];
    const books = await listenNode((request, response) => {
      traceparents.push(request.headers.traceparent);
      response.end();
    });
    const { ask, receiver } = await openEndpoint(adapter, { tracing: createTracing() });
    receiver.on("payment.received", async () => void (await fetch(books)));
    expect((await ask(madeUp())).status).toBe(200);

    const delivery = await span("receive");
    const attempt = await span("process");
    const request = await span("GET");
    expect(places(delivery).parent).toBe(undefined);
    expect(places(attempt).parent).toBe(delivery.spanContext().spanId);
    expect(places(request).parent).toBe(attempt.spanContext().spanId);
    expect(new Set(all().map((span) => places(span).trace)).size).toBe(1);
    const { traceId, spanId } = request.spanContext();
    expect(traceparents).toEqual([`00-${traceId}-${spanId}-01`]);
    expect((await inboxOf(receiver).delivery(1))?.headers).toMatchObject({
      "hookporter-traceparent": `00-${traceId}-${delivery.spanContext().spanId}-01`,
    });
  });

  it("is not kept from what a sender made up", async () => {
    const { receiver, ask } = await openEndpoint(adapter);
    expect((await ask(madeUp())).status).toBe(200);
    expect((await inboxOf(receiver).delivery(1))?.headers).not.toHaveProperty(
      "hookporter-traceparent",
    );
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

  it("says that a delivery is a duplicate, or why it was refused, which is an error only if the receiver could not keep it", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing() });
    const unsigned = bytes(freshEnvelope());
    for (const delivery of [
      deliveryOf(envelope()),
      deliveryOf(envelope()),
      deliveryOf(unsigned, signedHeaders(unsigned, "another-secret")),
      deliveryOf("no JSON"),
    ])
      await receiver.accept(delivery);
    await receiver.close();
    await receiver.accept(deliveryOf(envelope()));
    const received = await spans("receive", 5);
    expect(
      received.map(({ name, attributes, status }) => [
        name,
        attributes["hookporter.outcome"],
        attributes["error.type"] ?? attributes["hookporter.duplicate"],
        status,
      ]),
    ).toEqual([
      ["receive payment.received", "accepted", false, { code: SpanStatusCode.UNSET }],
      ["receive payment.received", "accepted", true, { code: SpanStatusCode.UNSET }],
      ["receive", "unauthorized", "signature_mismatch", { code: SpanStatusCode.UNSET }],
      ["receive", "rejected", "invalid_json", { code: SpanStatusCode.UNSET }],
      ["receive", "unavailable", "closed", { code: SpanStatusCode.ERROR, message: "closed" }],
    ]);
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

  it("is one for each retry, in the trace of the delivery, with the error's class and place, and never its message", async () => {
    const { receiver } = await openReceiver({ tracing: createTracing(), ...FAST });
    receiver.on("*", ({ data }) => {
      throw new RangeError(`cannot book ${JSON.stringify(data)}`);
    });
    await receiver.accept(deliveryOf(envelope({ data: { iban: "DE02-payload" } })));
    const attempts = await spans("process", 3);
    const delivery = await span("receive");
    const failed = { "error.type": "RangeError", "hookporter.state": "failing" };
    for (const [index, attempt] of attempts.entries()) {
      expect(places(attempt).parent).toBe(delivery.spanContext().spanId);
      expect(attempt.status).toEqual({ code: SpanStatusCode.ERROR, message: "RangeError" });
      const reason = { "hookporter.state": "dead", "hookporter.reason": "attempts_exhausted" };
      expect(attempt.attributes).toMatchObject({
        ...failed,
        "hookporter.attempt": index + 1,
        ...(index === 2 ? reason : undefined),
      });
    }
    const named = {
      "exception.type": "RangeError",
      "hookporter.handler": "*",
      "hookporter.at": expect.stringContaining("tracing.system.test.ts"),
    };
    expect(attempts[0]?.events).toMatchObject([{ name: "exception", attributes: named }]);
    expect(attempts[0]?.events[0]?.attributes).toEqual(named);
    const exported = JSON.stringify(
      all().map((span) => [span.name, span.attributes, span.events, span.status]),
    );
    for (const secret of ["payload", SECRET, "sha256="]) expect(exported).not.toContain(secret);
  });

  it("has the messages of errors with errorMessages, and calls a time-out by its name", async () => {
    const tracing = createTracing({ errorMessages: true });
    const { receiver } = await openReceiver({ tracing, ...FAST, handlerTimeout: 5 });
    receiver.on("payment.received", () => Promise.reject(new Error("the books are closed")), {
      attempts: 1,
    });
    receiver.on("lead.created", () => new Promise(() => {}), { attempts: 1 });
    await receiver.accept(deliveryOf(envelope()));
    const [first] = await spans("process");
    expect(first?.events[0]?.attributes?.["exception.message"]).toBe("the books are closed");
    await receiver.accept(deliveryOf(freshEnvelope({ event: "lead.created" })));
    const [, second] = await spans("process", 2);
    expect(second?.attributes).toMatchObject({ "error.type": "timeout" });
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

  it("belongs to the delivery even in another process, and is linked to the sender's span if it was received without tracing", async () => {
    for (const tracing of [createTracing(), undefined]) {
      const inbox = inboxFile();
      const first = await openReceiver({ inbox, role: "receive", tracing });
      await first.receiver.accept(tracedDelivery());
      await first.receiver.close();
      const second = await openReceiver({ inbox, role: "run", tracing: createTracing() });
      second.receiver.on("*", () => {});
      const attempt = (await spans("process", tracing === undefined ? 2 : 1)).at(-1);
      if (attempt === undefined) throw new Error("expected a span");
      const delivery = (await span("receive")).spanContext().spanId;
      expect(places(attempt)).toMatchObject({
        parent: tracing === undefined ? undefined : delivery,
        links: [`${SENDER_TRACE} ${SENDER_SPAN}`],
      });
      await second.receiver.close();
    }
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

  it("is made by a drain too, below the delivery if that was traced, and never below what is active where it runs", async () => {
    for (const tracing of [createTracing(), undefined]) {
      const inbox = inboxFile();
      const first = await openReceiver({ inbox, role: "receive", tracing });
      await first.receiver.accept(deliveryOf(envelope()));
      await first.receiver.close();
      const { receiver } = await openReceiver({ inbox, role: "receive", tracing: createTracing() });
      receiver.on("*", () => {});
      const drained = trace
        .getTracer("test")
        .startActiveSpan("cron", () => receiver.drain({ budget: 60_000 }));
      expect(await drained).toMatchObject({ handled: 1 });
      const attempt = (await spans("process", tracing === undefined ? 2 : 1)).at(-1);
      const delivery = (await span("receive")).spanContext().spanId;
      expect(attempt?.parentSpanContext?.spanId).toBe(tracing === undefined ? undefined : delivery);
    }
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
});

describe("tracing", () => {
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

  it("uses the provider that it is given, and costs no delivery and no attempt if that fails", async () => {
    const shouldSample = () => {
      throw new Error("a broken sampler");
    };
    const sampler = Object.assign(new AlwaysOnSampler(), { shouldSample });
    for (const options of [{}, { sampler }]) {
      const tracerProvider = new NodeTracerProvider(options);
      const { receiver, untilState } = await openReceiver({
        tracing: createTracing({ tracerProvider }),
      });
      receiver.on("*", () => {});
      expect(await receiver.accept(deliveryOf(envelope()))).toMatchObject({ type: "accepted" });
      await untilState("handled");
      const headers = (await inboxOf(receiver).delivery(1))?.headers ?? {};
      expect("hookporter-traceparent" in headers).toBe(!("sampler" in options));
      expect(all()).toEqual([]);
    }
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
