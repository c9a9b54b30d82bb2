import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import {
  createReceiver,
  exactNumber,
  type ReceiverOptions,
  type RejectionReason,
  SIGNATURE_HEADER,
  sign,
} from "../../src/entries/index.ts";
import { problemsOf } from "../../src/inbox/failures.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { expectError, json, openEndpoint, openReceiver, posting } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  deliveryOf,
  envelope,
  freshEnvelope,
  gate,
  keptBytes,
  keptLog,
  MINUTE,
  SECRET,
  signedHeaders,
  until,
  wrapInbox,
} from "./sample.ts";
import { ADAPTERS, dial, type Request, readAll, splitAnswer } from "./wire.ts";

const GOOD = bytes(envelope());
const HEX = createHmac("sha256", SECRET).update(GOOD).digest("hex");
/** Lines of the head of a request whose signature has the right form. */
const SIGNED = `Host: x\r\n${SIGNATURE_HEADER}: sha256=${HEX}\r\n`;
const withSignature = (value: string | readonly string[]) => ({
  body: GOOD,
  headers: { [SIGNATURE_HEADER]: value },
});
/** An envelope's JSON with the given text as its data. */
const withData = (data: string) =>
  JSON.stringify(envelope()).replace(/"data":\{[^}]*\}/, `"data":${data}`);
const accepted = (duplicate: boolean) => ({ received: true, id: expect.any(String), duplicate });

describe.each(ADAPTERS)("the answers over $name", (adapter) => {
  const open = (options?: Partial<ReceiverOptions>) => openEndpoint(adapter, options);

  describe("to an authentic event", () => {
    it("is 200 as soon as it is stored, before its handler runs", async () => {
      const { receiver, post, outcomes, entry, untilState } = await open();
      const held = gate();
      const ids: string[] = [];
      receiver.on("payment.received", async ({ id }) => {
        await held.opened;
        ids.push(id);
      });
      const reply = await post(envelope());
      expect(reply.status).toBe(200);
      expect(json(reply)).toEqual({
        received: true,
        id: expect.stringMatching(/^evt_1_[0-9a-f]{40}$/),
        duplicate: false,
      });
      expect(outcomes()).toMatchObject([
        { type: "accepted", duplicate: false, entryState: "waiting" },
      ]);
      expect(ids).toEqual([]);
      held.open();
      await untilState("handled");
      expect(ids).toEqual([(await entry()).key.eventId]);
      expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
    });

    it("[case 52, 57] does not depend on the content type, and says whether it is a duplicate", async () => {
      const { ask, post, receiver, entry } = await open();
      const types = [undefined, "text/plain", "application/x-www-form-urlencoded"];
      for (const type of [...types, "application/json; charset=utf-16"]) {
        const headers = {
          [SIGNATURE_HEADER]: sign(GOOD, SECRET),
          ...(type && { "content-type": type }),
        };
        const reply = await ask({ headers, body: GOOD });
        expect([type, reply.status, json(reply)]).toEqual([
          type,
          200,
          accepted(type !== undefined),
        ]);
      }
      // signed again, [case 41]
      const { webhook, data, timestamp, event } = envelope();
      const twin = JSON.stringify({ webhook, data, timestamp, event }, null, 2);
      expect(json(await post(twin))).toEqual(accepted(true));
      expect(await entry()).toMatchObject({ duplicates: 4 });
      expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
    });
  });

  it("to signed bytes that are not an event is 400, with the field, and a dead letter", async () => {
    // One of each reason: the reader is the same behind each adapter, so these show that the bytes
    // come through unchanged.
    const rejections: readonly [RejectionReason, object | string, string?][] = [
      ["empty_body", ""],
      ["invalid_utf8", Buffer.concat([GOOD, Buffer.from([0xff])])],
      ["invalid_json", Buffer.from(JSON.stringify(envelope()), "utf16le")],
      ["invalid_envelope", envelope({ webhook: undefined }), "webhook"],
      ["duplicate_key", withData('{"é":1,"\\u00e9":2}'), "data.é"],
      ["forbidden_key", withData('{"__proto__":{}}'), "data.__proto__"],
      ["too_deep", withData(`{"a":${"[".repeat(100)}${"]".repeat(100)}}`), "data.a"],
      ["invalid_timestamp", envelope({ timestamp: "2026-02-30T00:00:00Z" }), "timestamp"],
      ["too_old", envelope({ timestamp: at(-7 * DAY - 1) }), "timestamp"],
      ["future_timestamp", envelope({ timestamp: at(5 * MINUTE + 1) }), "timestamp"],
    ];
    for (const [reason, content, field] of rejections) {
      if (adapter.hides?.binary && reason === "invalid_utf8") continue; // other bytes by then: 401
      const { receiver, post, entry } = await open();
      const run = vi.fn();
      receiver.on("*", run);
      const named = reason === "too_deep" ? expect.stringMatching(/^data\.a\.0/) : field;
      for (const duplicates of [0, 1]) {
        expectError(await post(content), 400, "invalid_request", named);
        expect(await entry()).toMatchObject({ state: "dead", reason, duplicates, attempts: 0 });
      }
      expect(await keptBytes(inboxOf(receiver))).toEqual(bytes(content));
      expect(run).not.toHaveBeenCalled();
    }
  });

  it("to an unauthentic delivery is the same 401; only the outcome has the reason, and nothing is kept", async () => {
    const forged: readonly ["missing" | "malformed" | "mismatch", Request][] = [
      ["missing", {}], // [case 43]
      ["missing", { body: GOOD }], // [case 1]
      ["missing", withSignature("   ")],
      ["malformed", withSignature(HEX)], // [case 2]
      ["malformed", withSignature(`sha256=${HEX}zz`)], // [case 4]
      ["malformed", withSignature(`sha256=${HEX.toUpperCase()}`)], // [case 5]
      ["malformed", withSignature([`sha256=${HEX}`, `sha256=${"0".repeat(64)}`])], // [case 6]
      ["malformed", withSignature([`sha256=${HEX}`, `sha256=${HEX}`])],
      ["malformed", withSignature(`sha256=${"é".repeat(64)}`)], // [case 14]
      ["missing", { headers: { cookie: `${SIGNATURE_HEADER}=sha256=${HEX}` }, body: GOOD }],
      // [case 8]
      [
        "missing",
        { headers: { trailer: SIGNATURE_HEADER }, trailers: signedHeaders(GOOD), body: GOOD },
      ],
      ["mismatch", withSignature(`sha256=${flipped(HEX)}`)], // [case 11]
      ["mismatch", { headers: signedHeaders(bytes(`${GOOD} `)), body: GOOD }], // [case 10]
      ["mismatch", { headers: signedHeaders(GOOD, "another-secret-000001"), body: GOOD }],
    ];
    const { receiver, ask, outcomes, seen, lines } = await open();
    const bodies = new Set<string>();
    for (const [reason, request] of forged) {
      const reply = await ask(request);
      expectError(reply, 401, "unauthorized");
      bodies.add(reply.text);
      expect([request, outcomes().at(-1)]).toEqual([
        request,
        { type: "unauthorized", reason: `signature_${reason}` },
      ]);
    }
    expect(bodies.size).toBe(1);
    expect(outcomes()).toHaveLength(forged.length);
    expect(await inboxOf(receiver).list({})).toEqual([]);
    expect(seen.filter((one) => one.type === "delivery" && one.delivery !== undefined)).toEqual([]);
    expect(lines).toEqual([]);
  });

  describe("to a request that is not a delivery", () => {
    it("[case 42, 51] is 404 for any other target, and 200 for all spellings of its own", async () => {
      const { ask, entries, receiver } = await open();
      const signed = { headers: signedHeaders(GOOD), body: GOOD };
      const others = ["/", "/other", "/webhooks//", "/webhooks/x", "/webhooksx", "/webhooks//?x=1"];
      const odd = ["/webhooks;x?y", "/webhooks#x", "//webhooks", "//evil.test/webhooks"];
      const equal = ["/a/../webhooks", "/%2e/webhooks", "/%77ebhooks", "http://evil.test/webhooks"];
      for (const target of [...others, ...odd, ...equal]) {
        if (adapter.hides?.target && isNormalised(target)) continue; // it is the endpoint by then
        expect([target, (await ask({ ...signed, target })).status]).toEqual([target, 404]);
      }
      expect(await entries()).toEqual([]);
      const own = ["/webhooks/", "/webhooks?", "/webhooks?x=1", "/webhooks/?x=1"];
      for (const [index, target] of own.entries()) {
        const body = bytes(freshEnvelope());
        expect((await ask({ target, headers: signedHeaders(body), body })).status).toBe(200);
        const normalised = adapter.hides?.query ? target.replace(/\?$/, "") : target;
        expect((await inboxOf(receiver).delivery(index + 1))?.target).toBe(normalised);
      }
    });

    it("[case 42] is 405 for every other method, without a body for HEAD", async () => {
      const { ask, entries } = await open();
      const headers = { ...signedHeaders(GOOD), "content-length": `${GOOD.length}` };
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const reply = await ask({ method, headers, body: GOOD });
        expectError(reply, 405, "method_not_allowed");
        expect(reply.headers.allow).toBe("POST");
        expect(Object.keys(reply.headers).join(" ")).not.toContain("access-control");
      }
      const head = await ask({ method: "HEAD" });
      expect(head).toMatchObject({ status: 405, text: "", headers: { allow: "POST" } });
      expect(await entries()).toEqual([]);
    });

    it.each([0, 1])("[case 29] depends on the exact limit: %d bytes over it", async (beyond) => {
      const { ask, entries } = await open({ bodyLimit: GOOD.length });
      const body = Buffer.concat([GOOD, Buffer.alloc(beyond, " ")]);
      const headers = signedHeaders(body);
      const status = beyond === 0 ? 200 : 413;
      expect((await ask({ headers, body })).status).toBe(status);
      expect((await ask({ headers, body: [body.subarray(0, 50), body.subarray(50)] })).status).toBe(
        status,
      );
      expect(await entries()).toHaveLength(beyond === 0 ? 1 : 0);
    });

    it("[case 27] is 415 for any content encoding that there is, and 200 for other values", async () => {
      const { ask, entries } = await open();
      for (const encoding of ["gzip", "br", "gzip, gzip"]) {
        const headers = { ...signedHeaders(GOOD), "content-encoding": encoding };
        expectError(await ask({ headers, body: GOOD }), 415, "unsupported_encoding");
      }
      expect(await entries()).toEqual([]);
      for (const encoding of ["UTF-8", "x"]) {
        const headers = { ...signedHeaders(GOOD), "content-encoding": encoding };
        expect((await ask({ headers, body: GOOD })).status).toBe(200);
        expect((await ask({ headers, body: bytes(envelope({ data: {} })) })).status).toBe(401);
      }
      expect(await entries()).toHaveLength(1);
    });

    it("depends on the route first, then the method, the signature, the encoding and the size", async () => {
      const { ask } = await open({ bodyLimit: 10 });
      const request = { body: GOOD, headers: { "content-encoding": "gzip" } };
      const asked: Request[] = [
        { ...request, target: "/other", method: "PUT" },
        { ...request, method: "PUT" },
        request,
        { ...request, headers: { ...request.headers, ...signedHeaders(GOOD) } },
        { body: GOOD, headers: signedHeaders(GOOD) },
      ];
      const statuses: number[] = [];
      for (const request of asked) statuses.push((await ask(request)).status);
      expect(statuses).toEqual([404, 405, 401, 415, 413]);
    });
  });

  describe("if nothing can be stored", () => {
    it("[case 67] is 503 with Retry-After, and the same delivery is new once it can be stored", async () => {
      const real = memoryInbox();
      const append = vi.fn(real.append.bind(real)).mockRejectedValueOnce(new Error("disk full"));
      const { post, lines, entries, outcomes } = await open({
        inbox: handleOf(wrapInbox(real, { append })),
      });
      const reply = await post(envelope());
      expectError(reply, 503, "unavailable");
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
      expect(outcomes()).toMatchObject([{ type: "unavailable" }]);
      expect(lines).toMatchObject([{ level: "error" }]);
      expect(await entries()).toEqual([]);
      expect(json(await post(envelope()))).toEqual(accepted(false));
    });

    it("is 503 before start() and after close(), and reveals nothing about signatures", async () => {
      const { log } = keptLog();
      const receiver = createReceiver({ secret: SECRET, inbox: "memory:", log });
      const { post, ask } = posting(await adapter.listen(receiver));
      for (const step of ["new", "closed"]) {
        const reply = await post(freshEnvelope());
        expectError(reply, 503, "unavailable");
        expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
        expect((await ask({ body: GOOD })).status).toBe(503);
        expect((await ask({ target: "/other" })).status).toBe(404);
        if (step === "closed") continue;
        await receiver.start();
        await receiver.close();
      }
    });
  });

  it("[case 16] is 500 if the secrets cannot be read, and the log says why", async () => {
    const secret = () => {
      throw new Error("vault sealed");
    };
    const { post, entries, outcomes, lines } = await open({ secret });
    const reply = await post(envelope());
    expectError(reply, 500, "server_error");
    expect(reply.text).not.toContain("vault");
    expect(outcomes()).toMatchObject([{ type: "misconfigured" }]);
    expect(lines).toMatchObject([{ level: "error" }]);
    expect(await entries()).toEqual([]);
  });
});

// All adapters at once, as the connection of a sender that has not sent its whole body stays open
// for half a second.
describe("over each adapter that reads bodies itself, the answer", () => {
  const streaming = ADAPTERS.filter(({ hides }) => hides?.stream === undefined);
  const answerEach = (options: Partial<ReceiverOptions>, rest: string) =>
    Promise.all(
      streaming.map(async (adapter) => {
        const { url, outcomes, entries } = await openEndpoint(adapter, options);
        const socket = await dial(url);
        socket.write(`POST /webhooks HTTP/1.1\r\n${SIGNED}${rest}`);
        const { status, head } = splitAnswer(await readAll(socket));
        const isClosed = /^connection: close$/im.test(head) || adapter.hides?.connection;
        return {
          over: adapter.name,
          status,
          isClosed,
          outcomes: outcomes(),
          entries: await entries(),
        };
      }),
    );
  const everywhere = (status: number, reason: string) =>
    streaming.map(({ name: over }) => ({
      over,
      status,
      isClosed: true,
      outcomes: [{ type: "refused", reason }],
      entries: [],
    }));

  it("[case 46] is 408 for a body that does not arrive in time", async () => {
    const rest = `Content-Length: ${GOOD.length}\r\n\r\n{`;
    expect(await answerEach({ bodyTimeout: 20 }, rest)).toEqual(everywhere(408, "too_slow"));
  });

  it("[case 28] is 413 for a declared length over the limit, before any byte of the body arrives", async () => {
    const answers = await answerEach({ bodyLimit: 1000 }, "Content-Length: 1001\r\n\r\n");
    expect(answers).toEqual(everywhere(413, "too_large"));
  });

  it("[case 28] is 413 for a body without a length as soon as it exceeds the limit", async () => {
    const chunk = `1f5\r\n${"x".repeat(501)}\r\n`; // without the last chunk
    const rest = `Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`;
    expect(await answerEach({ bodyLimit: 1000 }, rest)).toEqual(everywhere(413, "too_large"));
  });
});

function flipped(hex: string): string {
  return `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`;
}

/** Whether `URL` makes the endpoint of a target that is not. */
function isNormalised(target: string): boolean {
  return new URL(target, "http://127.0.0.1").pathname === "/webhooks";
}

it("[case 35] numbers that a double does not hold are named, and kept or dead letters that run if retried", async () => {
  const inexact = withData('{"rent":1e400,"id":9007199254740993}');
  const problems = [
    { field: "data.rent", message: "sent 1e400, read as Infinity" },
    { field: "data.id", message: "sent 9007199254740993, read as 9007199254740992" },
  ];
  const kept = await openReceiver();
  const seen: unknown[] = [];
  kept.receiver.on("payment.received", ({ data }, { delivery }) => {
    seen.push(data.rent, exactNumber(delivery, "data.rent"), exactNumber(delivery, "data.id"));
  });
  const outcome = await kept.receiver.accept(deliveryOf(inexact));
  expect(outcome).toMatchObject({ type: "accepted", reason: undefined, problems });
  await kept.untilState("handled");
  expect(seen).toEqual([Number.POSITIVE_INFINITY, "1e400", "9007199254740993"]);
  const delivery = await inboxOf(kept.receiver).delivery(1);
  expect(problemsOf(await kept.entry(), delivery as never)).toEqual(problems);

  const strict = await openReceiver({ inexactNumbers: "reject" });
  const run = vi.fn();
  const dead = vi.fn();
  strict.receiver.on("payment.received", run);
  strict.receiver.onDead(dead);
  const letter = { reason: "inexact_number", problems };
  expect(await strict.receiver.accept(deliveryOf(inexact))).toMatchObject(letter);
  expect(await strict.entry()).toMatchObject({ state: "dead", ...letter });
  await until(() => expect(dead).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(letter)));
  expect(run).not.toHaveBeenCalled();
  expect(await strict.receiver.inbox.retry({ states: ["dead"] })).toBe(1);
  await strict.untilState("handled");
  expect(run).toHaveBeenCalledOnce();
});

it("a future event that is sent again once its time has come is new, and its dead letter does not run it again", async () => {
  const { receiver, clock, entries } = await openReceiver();
  const run = vi.fn();
  receiver.on("*", run);
  const early = deliveryOf(envelope({ timestamp: at(3_600_000) }));
  expect(await receiver.accept(early)).toMatchObject({ type: "rejected" });
  clock.now += 3_600_000;
  expect(await receiver.accept(early)).toMatchObject({ type: "accepted", duplicate: false });
  const states = async () => (await entries()).map(({ state }) => state).sort();
  await until(async () => expect(await states()).toEqual(["dead", "handled"]));
  expect(await receiver.inbox.retry({ states: ["dead"] })).toBe(1);
  await until(async () => expect(await states()).toEqual(["handled", "handled"]));
  expect(run).toHaveBeenCalledOnce();
});
