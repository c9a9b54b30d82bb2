import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  createReceiver,
  type EntryState,
  exactNumber,
  type HandlerRegistry,
  type ReceiverOptions,
  type RejectionReason,
  SIGNATURE_HEADER,
  sign,
} from "../../src/entries/index.ts";
import type { NewEntry } from "../../src/inbox/append.ts";
import { problemsOf } from "../../src/inbox/failures.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { expectError, json, openEndpoint, posting } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  envelope,
  freshEnvelope,
  gate,
  inboxFile,
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

    it("contains the envelope's id if it has one", async () => {
      const { post } = await open();
      expect(json(await post(envelope({ id: "evt_own" })))).toMatchObject({ id: "evt_own" });
    });

    it("[case 23] is 200 if a byte order mark was signed with the rest", async () => {
      const { post, entry } = await open();
      expect((await post(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), GOOD]))).status).toBe(200);
      expect((await entry()).kind).toBe("payment.received");
    });

    it.each<[string, string | undefined]>([
      ["none", undefined],
      ["text/plain", "text/plain"],
      ["a form's", "application/x-www-form-urlencoded"],
      ["one that names another charset", "application/json; charset=utf-16"],
    ])("[case 52] does not depend on the content type: %s", async (_, type) => {
      const { ask } = await open();
      const headers = {
        [SIGNATURE_HEADER]: sign(GOOD, SECRET),
        ...(type && { "content-type": type }),
      };
      expect((await ask({ headers, body: GOOD })).status).toBe(200);
    });

    const ways: readonly [
      EntryState,
      Partial<ReceiverOptions>,
      (registry: HandlerRegistry) => void,
    ][] = [
      ["failing", { retry: { delay: 3_600_000, maxDelay: 3_600_000, jitter: 0 } }, failing],
      ["running", {}, (registry) => registry.on("*", () => gate().opened)],
      ["handled", {}, (registry) => registry.on("*", () => "ok")],
      ["dead", { retry: { attempts: 1 } }, failing],
      ["received", {}, () => {}],
    ];
    it.each(ways)(
      "[case 57] is 200 and a duplicate while its entry is %s",
      async (state, options, register) => {
        const { receiver, post, clock, entry, untilState } = await open(options);
        register(receiver);
        const first = json(await post(envelope()));
        await untilState(state);
        if (state === "waiting")
          await until(async () => expect(await entry()).toMatchObject({ attempts: 1 }));
        const before = await entry();
        clock.now += 1000;
        const { webhook, data, timestamp, event } = envelope();
        // signed again, [case 41]
        const twin = JSON.stringify({ webhook, data, timestamp, event }, null, 2);
        for (const again of [await post(envelope()), await post(twin)]) {
          expect(again.status).toBe(200);
          expect(json(again)).toEqual({ ...(first as object), duplicate: true });
        }
        expect(await entry()).toEqual({ ...before, duplicates: 2, lastSeenAt: clock.now });
        expect(await keptBytes(inboxOf(receiver), before.seq)).toEqual(GOOD);
      },
    );

    it("is 200 for each of two events that differ only in a digit a double cannot hold, with two entries", async () => {
      const { post, entries } = await open();
      await post(withData('{"id":12345678901234567890}'));
      expect(json(await post(withData('{"id":12345678901234567891}')))).toMatchObject({
        duplicate: false,
      });
      expect(await entries()).toHaveLength(2);
    });
  });

  describe("to an unknown kind", () => {
    it.each([
      "lease.signed",
      "__proto__",
      "toString",
      "*",
      "error",
      "",
      "payment.received ",
      "Payment.Received",
    ])("[case 38] is 200, and the entry ends as received: %j", async (event) => {
      const { receiver, post, entry, untilState } = await open();
      receiver.on("payment.received", () => {
        throw new Error("not for this one");
      });
      expect(json(await post(envelope({ event })))).toEqual(accepted(false));
      await untilState("received");
      expect(await entry()).toMatchObject({ kind: event, reason: "no_handler" });
    });

    it.each<[string, (registry: HandlerRegistry, run: () => void) => void]>([
      ["onUnknown", (registry, run) => registry.onUnknown(run)],
      ["a wildcard", (registry, run) => registry.on("*", run)],
    ])("is 200, and %s handles it", async (_, register) => {
      const { receiver, post, untilState } = await open();
      const run = vi.fn();
      register(receiver, run);
      expect((await post(envelope({ event: "lease.signed" }))).status).toBe(200);
      await untilState("handled");
      expect(run).toHaveBeenCalledOnce();
    });
  });

  it("[case 39] is 200 for data that does not fit: a dead letter that runs if retried once a schema accepts it", async () => {
    const inbox = inboxFile();
    const misfit = bytes(
      envelope({ event: "property.created", data: { id: "prop_1", rooms: "three" } }),
    );
    const dead = vi.fn();
    const old = await open({ inbox });
    old.receiver.onDead(dead);
    old.receiver.on("property.created", () => {
      throw new Error("must not run");
    });
    expect(json(await old.post(misfit))).toEqual(accepted(false));
    expect(await old.entry()).toMatchObject({ state: "dead", reason: "invalid_data", attempts: 0 });
    expect(await keptBytes(inboxOf(old.receiver))).toEqual(misfit);
    expect(json(await old.post(misfit))).toEqual(accepted(true));
    await until(() => expect(dead).toHaveBeenCalledOnce());
    expect(dead).toHaveBeenCalledWith(
      expect.objectContaining({ seq: 1, reason: "invalid_data", kind: "property.created" }),
    );
    await old.receiver.close();

    const upgraded = await open({
      inbox,
      schemas: { "property.created": z.object({ rooms: z.string() }) },
    });
    const rooms: unknown[] = [];
    upgraded.receiver.on("property.created", ({ data }) => rooms.push(data.rooms));
    expect(await inboxOf(upgraded.receiver).retry({ states: ["dead"] }, upgraded.clock.now)).toBe(
      1,
    );
    await upgraded.untilState("handled");
    expect(rooms).toEqual(["three"]);
  });

  it("[case 35] is 200 for numbers that a double does not hold, which are named; or a dead letter that runs if retried", async () => {
    const inexact = withData('{"rent":1e400,"id":9007199254740993}');
    const problems = [
      { field: "data.rent", message: "sent 1e400, read as Infinity" },
      { field: "data.id", message: "sent 9007199254740993, read as 9007199254740992" },
    ];
    const kept = await open();
    const seen: unknown[] = [];
    kept.receiver.on("payment.received", ({ data }, { delivery }) => {
      seen.push(data.rent, exactNumber(delivery, "data.rent"), exactNumber(delivery, "data.id"));
    });
    expect(json(await kept.post(inexact))).toEqual(accepted(false));
    expect(kept.outcomes()).toMatchObject([{ type: "accepted", reason: undefined, problems }]);
    await kept.untilState("handled");
    expect(seen).toEqual([Number.POSITIVE_INFINITY, "1e400", "9007199254740993"]);
    expect(
      problemsOf(await kept.entry(), (await inboxOf(kept.receiver).delivery(1)) as never),
    ).toEqual(problems);

    const strict = await open({ inexactNumbers: "reject" });
    const run = vi.fn();
    const dead = vi.fn();
    strict.receiver.on("payment.received", run);
    strict.receiver.onDead(dead);
    expect(json(await strict.post(inexact))).toEqual(accepted(false));
    expect(await strict.entry()).toMatchObject({
      state: "dead",
      reason: "inexact_number",
      problems,
    });
    await until(() => expect(dead).toHaveBeenCalledOnce());
    expect(dead).toHaveBeenCalledWith(
      expect.objectContaining({ reason: "inexact_number", problems }),
    );
    expect(run).not.toHaveBeenCalled();
    expect(await inboxOf(strict.receiver).retry({ states: ["dead"] }, strict.clock.now)).toBe(1);
    await strict.untilState("handled");
    expect(run).toHaveBeenCalledOnce();
  });

  describe("to signed bytes that are not an event", () => {
    const rejections: readonly [string, RejectionReason, Buffer, string?][] = [
      ["[case 11] an empty body", "empty_body", bytes("")],
      ["[case 24] invalid UTF-8", "invalid_utf8", Buffer.concat([GOOD, Buffer.from([0xff])])],
      ["[case 26] UTF-16", "invalid_json", Buffer.from(JSON.stringify(envelope()), "utf16le")],
      ["[case 30] truncated JSON", "invalid_json", GOOD.subarray(0, 40)],
      ["[case 30] NaN", "invalid_json", bytes(withData('{"amount":NaN}'))],
      ["[case 30] a trailing comma", "invalid_json", bytes(withData('{"amount":1,}'))],
      ["[case 30] two JSON values", "invalid_json", Buffer.concat([GOOD, GOOD])],
      ["[case 30] an array", "invalid_envelope", bytes([envelope()])],
      ["[case 30] a string", "invalid_envelope", bytes('"payment.received"')],
      ["[case 30] null", "invalid_envelope", bytes("null")],
      [
        "[case 31] a duplicate key",
        "duplicate_key",
        bytes(withData('{"é":1,"\\u00e9":2}')),
        "data.é",
      ],
      [
        "[case 32] a forbidden key",
        "forbidden_key",
        bytes(withData('{"__proto__":{}}')),
        "data.__proto__",
      ],
      [
        "[case 33] 100 levels of nesting",
        "too_deep",
        bytes(withData(`{"a":${"[".repeat(100)}${"]".repeat(100)}}`)),
        expect.stringMatching(/^data\.a\.0/),
      ],
      ["[case 37] no event", "invalid_envelope", bytes(envelope({ event: undefined })), "event"],
      [
        "[case 37] no timestamp",
        "invalid_envelope",
        bytes(envelope({ timestamp: undefined })),
        "timestamp",
      ],
      ["[case 37] an array as data", "invalid_envelope", bytes(envelope({ data: [] })), "data"],
      ["[case 37] null as data", "invalid_envelope", bytes(envelope({ data: null })), "data"],
      [
        "[case 37] no webhook",
        "invalid_envelope",
        bytes(envelope({ webhook: undefined })),
        "webhook",
      ],
      [
        "[case 37] an id that is not a subscription's",
        "invalid_envelope",
        bytes(envelope({ webhook: { id: "x_1", url: "u" } })),
        "webhook.id",
      ],
      [
        "[case 40] 30 February",
        "invalid_timestamp",
        bytes(envelope({ timestamp: "2026-02-30T00:00:00Z" })),
        "timestamp",
      ],
      ["[case 40] a number", "invalid_envelope", bytes(envelope({ timestamp: 1 })), "timestamp"],
      [
        "[case 40] a time without a time zone",
        "invalid_timestamp",
        bytes(envelope({ timestamp: "2026-01-15T10:00:00" })),
        "timestamp",
      ],
      [
        "[case 58] a week and 1 ms",
        "too_old",
        bytes(envelope({ timestamp: at(-7 * DAY - 1) })),
        "timestamp",
      ],
      [
        "[case 64] 5 minutes and 1 ms ahead",
        "future_timestamp",
        bytes(envelope({ timestamp: at(5 * MINUTE + 1) })),
        "timestamp",
      ],
    ];
    // The reader is the same behind each adapter, so one of each reason shows that its bytes come
    // through unchanged.
    const isFirst = ([, reason]: (typeof rejections)[number], index: number) =>
      rejections.findIndex(([, other]) => other === reason) === index;
    const sent = adapter === ADAPTERS[0] ? rejections : rejections.filter(isFirst);
    it.each(sent)("is 400 and a dead letter: %s (%s)", async (_, reason, body, field) => {
      if (adapter.hides?.binary && reason === "invalid_utf8") return; // other bytes by then, so 401
      const { receiver, post, clock, entry } = await open();
      const dead = vi.fn();
      receiver.onDead(dead);
      receiver.on("*", () => {
        throw new Error("must not run");
      });
      expectError(await post(body), 400, "invalid_request", field);
      const before = await entry();
      expect(before).toMatchObject({ state: "dead", reason, duplicates: 0, attempts: 0 });
      expect(await keptBytes(inboxOf(receiver), before.seq)).toEqual(body);
      clock.now += 1;
      // Only the age of the event depends on the clock; for one of them, this millisecond corrects
      // it.
      if (reason === "future_timestamp") clock.now -= 1;
      expectError(await post(body), 400, "invalid_request", field);
      expect(await entry()).toEqual({ ...before, duplicates: 1, lastSeenAt: clock.now });
      await until(() => expect(dead).toHaveBeenCalledOnce());
      expect(dead).toHaveBeenCalledWith(expect.objectContaining({ seq: before.seq, reason }));
    });

    it.each([
      ["a week old", -7 * DAY],
      ["[case 63] 70 hours old", -70 * 60 * MINUTE],
      ["5 minutes ahead", 5 * MINUTE],
    ])("is 200 if the event is at most %s", async (_, offset) => {
      const { post } = await open();
      expect((await post(envelope({ timestamp: at(offset) }))).status).toBe(200);
    });

    it("[case 58] is 200 for a known event, however late it is sent again", async () => {
      const { post, clock, entry } = await open();
      await post(envelope());
      clock.now += 300 * DAY;
      const reply = await post(envelope());
      expect(reply.status).toBe(200);
      expect(json(reply)).toEqual(accepted(true));
      expect(await entry()).toMatchObject({ duplicates: 1, lastSeenAt: clock.now });
    });

    it("is 200 for a future event that is sent again once its time has come, and it is new", async () => {
      const { receiver, post, clock, entries } = await open();
      const run = vi.fn();
      receiver.on("*", run);
      const early = envelope({ timestamp: at(3_600_000) });
      expect((await post(early)).status).toBe(400);
      clock.now += 3_600_000;
      expect(json(await post(early))).toEqual(accepted(false));
      await until(async () =>
        expect((await entries()).map(({ state }) => state).sort()).toEqual(["dead", "handled"]),
      );
      expect(run).toHaveBeenCalledOnce();
      // The dead letter is the same event: retrying it does not run the event again.
      expect(await inboxOf(receiver).retry({ states: ["dead"] }, clock.now)).toBe(1);
      await until(async () =>
        expect((await entries()).map(({ state }) => state)).toEqual(["handled", "handled"]),
      );
      expect(run).toHaveBeenCalledOnce();
      expect(await entries()).toHaveLength(2);
    });

    it("is a dead letter for an event that is too old, and retrying it runs the event once", async () => {
      const { receiver, post, clock, entries, lines } = await open({ inbox: inboxFile() });
      const run = vi.fn();
      receiver.on("payment.received", ({ id }) => run(id));
      const old = envelope({ id: "evt_old", timestamp: at(-8 * DAY) });
      expect((await post(old)).status).toBe(400);
      expect(await inboxOf(receiver).retry({ states: ["dead"] }, clock.now)).toBe(1);
      await until(async () =>
        expect((await entries()).map(({ state }) => state)).toEqual(["handled", "handled"]),
      );
      expect(run).toHaveBeenCalledExactlyOnceWith("evt_old");
      // It now has its own key.
      expect(json(await post(old))).toEqual({ received: true, id: "evt_old", duplicate: true });
      expect(run).toHaveBeenCalledOnce();
      expect(lines).toEqual([]);
    });
  });

  describe("to an unauthentic delivery", () => {
    const forged: readonly [string, Request][] = [
      ["[case 1] no header", {}],
      ["[case 1] an empty header", withSignature("")],
      ["[case 1] spaces", withSignature("   ")],
      ["[case 2] a bare digest", withSignature(HEX)],
      ...["SHA256=", "sha1=", "sha512=", "sha256:", "sha256==", "sha256=sha256=", "sha256= "].map(
        (prefix): [string, Request] => [`[case 2, 3] ${prefix}`, withSignature(prefix + HEX)],
      ),
      ["[case 3] a truncated digest", withSignature(`sha256=${HEX.slice(0, 6)}`)],
      ["[case 3] 63 digits", withSignature(`sha256=${HEX.slice(1)}`)],
      ["[case 3] 65 digits", withSignature(`sha256=${HEX}0`)],
      ["[case 4] trailing junk", withSignature(`sha256=${HEX}zz`)],
      ["[case 5] uppercase", withSignature(`sha256=${HEX.toUpperCase()}`)],
      [
        "[case 6] two headers, the first correct",
        withSignature([`sha256=${HEX}`, `sha256=${"0".repeat(64)}`]),
      ],
      ["[case 6] the correct header twice", withSignature([`sha256=${HEX}`, `sha256=${HEX}`])],
      ["[case 8] in a cookie", { headers: { cookie: `${SIGNATURE_HEADER}=sha256=${HEX}` } }],
      [
        "[case 8] in a trailer",
        { headers: { trailer: SIGNATURE_HEADER }, trailers: signedHeaders(GOOD) },
      ],
      [
        "[case 9] another secret's",
        { headers: signedHeaders(GOOD, "a-secret-that-was-rotated-out") },
      ],
      ["[case 10] that of the re-serialized text", { headers: signedHeaders(bytes(`${GOOD} `)) }],
      ["[case 11] one bit flipped", withSignature(`sha256=${flipped(HEX)}`)],
      ["[case 14] 64 letters that are not hex digits", withSignature(`sha256=${"é".repeat(64)}`)],
      ["[case 22] that of an empty secret", { headers: signedHeaders(GOOD, "") }],
    ];

    it("is the same 401 for all of them, and nothing is kept", async () => {
      const { receiver, ask, outcomes, seen, lines } = await open();
      const bodies = new Set<string>();
      for (const [name, request] of forged) {
        const reply = await ask({ body: GOOD, ...request });
        expect([name, reply.status]).toEqual([name, 401]);
        expectError(reply, 401, "unauthorized");
        bodies.add(reply.text);
      }
      expect(bodies.size).toBe(1);
      expect(outcomes()).toHaveLength(forged.length);
      const reasons = outcomes().map((outcome) =>
        outcome.type === "unauthorized" ? outcome.reason : "",
      );
      expect(new Set(reasons)).toEqual(
        new Set(["signature_missing", "signature_malformed", "signature_mismatch"]),
      );
      expect(await inboxOf(receiver).list({})).toEqual([]);
      expect(
        seen.filter(
          (observation) => observation.type === "delivery" && observation.delivery !== undefined,
        ),
      ).toEqual([]);
      expect(lines).toEqual([]);
    });

    it.each(forged)(
      "does not contain the reason, which only the outcome has: %s",
      async (name, request) => {
        const { ask, outcomes } = await open();
        await ask({ body: GOOD, ...request });
        const missing = name.startsWith("[case 1]") || name.startsWith("[case 8]");
        const mismatch = /^\[case (9|10|11|22)\]/.test(name);
        const reason = missing ? "missing" : mismatch ? "mismatch" : "malformed";
        expect(outcomes()).toEqual([{ type: "unauthorized", reason: `signature_${reason}` }]);
      },
    );

    it("[case 11, 43] is 401 for a request without body or signature", async () => {
      const { ask, entries } = await open();
      expectError(await ask({}), 401, "unauthorized");
      expect(await entries()).toEqual([]);
    });
  });

  describe("to a request that is not a delivery", () => {
    it.each([
      "/",
      "/other",
      "/webhooks//",
      "/webhooks/x",
      "/webhooksx",
      "/webhooks//?x=1",
      "/webhooks;x",
      "/webhooks;x?y",
      "/webhooks#x",
      "//webhooks",
      "//evil.test/webhooks",
      "/a/../webhooks",
      "/./webhooks",
      "/%2e/webhooks",
      "/%77ebhooks",
      "/webhooks%2f",
      "http://evil.test/webhooks",
    ])("[case 42, 51] is 404 for the target %s", async (target) => {
      if (adapter.hides?.target && isNormalised(target)) return; // it is the endpoint by then
      const { ask, entries } = await open();
      const headers = signedHeaders(GOOD);
      expect((await ask({ target, headers, body: GOOD })).status).toBe(404);
      expect(await entries()).toEqual([]);
    });

    it.each(["/webhooks/", "/webhooks?", "/webhooks?x=1", "/webhooks/?x=1"])(
      "[case 51] is 200 for the target %s, which is the same endpoint",
      async (target) => {
        const { ask, receiver } = await open();
        expect((await ask({ target, headers: signedHeaders(GOOD), body: GOOD })).status).toBe(200);
        const normalised = adapter.hides?.query ? target.replace(/\?$/, "") : target;
        expect((await inboxOf(receiver).delivery(1))?.target).toBe(normalised);
      },
    );

    it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])(
      "[case 42] is 405 for %s",
      async (method) => {
        const { ask, entries } = await open();
        const reply = await ask({
          method,
          headers: { ...signedHeaders(GOOD), "content-length": `${GOOD.length}` },
          body: GOOD,
        });
        expectError(reply, 405, "method_not_allowed");
        expect(reply.headers.allow).toBe("POST");
        expect(
          Object.keys(reply.headers).filter((name) => name.startsWith("access-control")),
        ).toEqual([]);
        expect(await entries()).toEqual([]);
      },
    );

    it("[case 42] is 405 without a body for HEAD", async () => {
      const { ask } = await open();
      expect(await ask({ method: "HEAD" })).toMatchObject({
        status: 405,
        text: "",
        headers: { allow: "POST" },
      });
    });

    it("[case 28] covers no more bytes than the declared length", async () => {
      const { url, receiver } = await open();
      const socket = await dial(url);
      const head = `Host: x\r\nContent-Length: ${GOOD.length}\r\n${SIGNATURE_HEADER}: sha256=${HEX}\r\n`;
      socket.write(`POST /webhooks HTTP/1.1\r\n${head}\r\n`);
      // Node reads the extra bytes as another, malformed request; its answer may overtake ours.
      socket.write(Buffer.concat([GOOD, bytes("and more that is not HTTP")]));
      await readAll(socket);
      await until(async () => expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD));
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

    it.each(["gzip", "br", "deflate", "gzip, gzip", "x"])(
      "[case 27] is 415 for the content encoding %s",
      async (encoding) => {
        const { ask, entries } = await open();
        const headers = { ...signedHeaders(GOOD), "content-encoding": encoding };
        expectError(await ask({ headers, body: GOOD }), 415, "unsupported_encoding");
        expect(await entries()).toEqual([]);
      },
    );

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

    it.each([
      ["a length and chunks", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
      ["two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}"],
      ["a chunk with an invalid size", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ])("[case 44] is 400 for %s", async (_, rest) => {
      const { url, entries } = await open();
      const socket = await dial(url);
      socket.write(`POST /webhooks HTTP/1.1\r\nHost: x\r\n${rest}`);
      expect(splitAnswer(await readAll(socket)).status).toBe(400);
      expect(await entries()).toEqual([]);
    });

    it("[case 47] is separate for each of two requests in one packet", async () => {
      const { url, entries } = await open();
      const socket = await dial(url);
      const request = (signature: string, more: string) =>
        `POST /webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: ${GOOD.length}\r\n${more}` +
        `${SIGNATURE_HEADER}: sha256=${signature}\r\n\r\n${GOOD}`;
      socket.write(request(flipped(HEX), "") + request(HEX, "Connection: close\r\n"));
      const raw = (await readAll(socket)).toString();
      expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
      expect(await entries()).toHaveLength(1);
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

    it("is 503, not 400, for a rejected delivery that cannot be stored", async () => {
      const fail = () => Promise.reject(new Error("disk full"));
      const inbox = wrapInbox(memoryInbox(), { append: fail, touch: fail });
      const { post } = await open({ inbox: handleOf(inbox) });
      expect((await post("no JSON")).status).toBe(503);
      expect((await post(envelope({ timestamp: at(-8 * DAY) }))).status).toBe(503);
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

    it("[case 80] is still sent for a delivery being stored when close() is called, which waits for it", async () => {
      const real = memoryInbox();
      const slow = gate();
      const append = vi.fn(async (entry: NewEntry) => {
        await slow.opened;
        return real.append(entry);
      });
      const { receiver, post, entries } = await open({
        inbox: handleOf(wrapInbox(real, { append })),
      });
      const posted = post(envelope());
      await until(() => expect(append).toHaveBeenCalled());
      const closed = receiver.close();
      slow.open();
      expect((await posted).status).toBe(200);
      await closed;
      expect(await entries()).toHaveLength(1);
    });
  });

  describe("with secrets that change", () => {
    it("[case 9] is 200 for any of several, and the outcome says which one", async () => {
      const { post, outcomes } = await open({
        secret: ["the-new-secret-000001", "the-old-secret-000001"],
      });
      expect((await post(freshEnvelope(), "the-new-secret-000001")).status).toBe(200);
      expect((await post(freshEnvelope(), "the-old-secret-000001")).status).toBe(200);
      expect((await post("{}", "the-old-secret-000001")).status).toBe(400);
      expect((await post(freshEnvelope(), "another-secret-000001")).status).toBe(401);
      expect(outcomes()).toMatchObject([
        { secret: { role: "current" } },
        { secret: { role: "previous" } },
        { type: "rejected", secret: { role: "previous" } },
        { type: "unauthorized" },
      ]);
      expect(JSON.stringify(outcomes())).not.toContain("the-");
    });

    it("[case 19] uses the function's current secrets for each delivery", async () => {
      const secret = vi.fn(() => "the-first-secret-0001");
      const { post } = await open({ secret });
      expect((await post(freshEnvelope(), "the-first-secret-0001")).status).toBe(200);
      secret.mockReturnValue("the-second-secret-001");
      expect((await post(freshEnvelope(), "the-first-secret-0001")).status).toBe(401);
      expect((await post(freshEnvelope(), "the-second-secret-001")).status).toBe(200);
      expect(secret).toHaveBeenCalledTimes(3);
    });

    it.each<[string, () => string, string | undefined]>([
      [
        "throws",
        () => {
          throw new Error("vault sealed");
        },
        undefined,
      ],
      ["returns an empty string", () => "", "secret_empty"],
    ])("[case 16] is 500 if the function %s, and the log says why", async (_, secret, code) => {
      const { post, entries, outcomes, lines } = await open({ secret });
      const reply = await post(envelope());
      expectError(reply, 500, "server_error");
      expect(reply.text).not.toContain("vault");
      expect(outcomes()).toMatchObject([{ type: "misconfigured" }]);
      expect(lines).toMatchObject([{ level: "error", fields: { code } }]);
      expect(await entries()).toEqual([]);
    });
  });

  it("[case 54] always have a Content-Length in bytes", async () => {
    const { url, ask } = await open();
    const requests: [number, string, string, Buffer][] = [
      [200, "POST", "/webhooks", GOOD],
      [400, "POST", "/webhooks", bytes(withData('{"é€😀":1,"é€😀":2}'))],
      [405, "PUT", "/webhooks", GOOD],
    ];
    for (const [status, method, target, body] of requests) {
      const socket = await dial(url);
      const head = Object.entries({ ...signedHeaders(body), "content-length": body.length })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`);
      socket.write(body);
      const answer = splitAnswer(await readAll(socket));
      expect(answer.status).toBe(status);
      expect(/^content-length: (\d+)$/im.exec(answer.head)?.[1]).toBe(
        String(answer.body.byteLength),
      );
    }
    expect((await ask({ body: GOOD })).headers["content-length"]).toBeDefined();
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

function failing(registry: HandlerRegistry): void {
  registry.on("*", () => {
    throw new Error("always");
  });
}

function flipped(hex: string): string {
  return `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`;
}

/** Whether `URL` makes the endpoint of a target that is not. */
function isNormalised(target: string): boolean {
  return new URL(target, "http://127.0.0.1").pathname === "/webhooks";
}
