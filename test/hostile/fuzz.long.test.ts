import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type Delivery,
  eventKinds,
  type Outcome,
  type Receiver,
  SIGNATURE_HEADER,
  sign,
} from "../../src/entries/index.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { toAnswer } from "../../src/receiver/response.ts";
import { long } from "../long.ts";
import { openReceiver } from "../receiver/open.ts";
import { at, deliveryOf, NOW, SECRET, uncaught } from "../receiver/sample.ts";
import { head, openServer, statuses } from "./open.ts";

const RUNS = long(500, 100_000);
const TIME = long(20_000, 1_800_000);

/** Property runs per receiver: each leaves entries, and listing them should stay cheap. */
const SHARED = 200;

/** Returns a function that opens a new receiver every SHARED runs. */
function receivers() {
  let used = 0;
  let open: Promise<Opened> | undefined;
  return async () => {
    if (open === undefined || used++ % SHARED === 0) {
      await (await open)?.receiver.close();
      open = openReceiver({ inbox: handleOf(memoryInbox()) });
    }
    return open;
  };
}
type Opened = Awaited<ReturnType<typeof openReceiver>>;

/** Accepts a delivery; expects that it neither throws nor answers with a 5xx other than 503. */
async function acceptSafely(receiver: Receiver, delivery: Delivery): Promise<Outcome> {
  const outcome = await receiver.accept(delivery);
  const { status, body } = toAnswer(outcome);
  expect([200, 400, 401, 503]).toContain(status);
  expect(() => JSON.parse(Buffer.from(body).toString("utf8"))).not.toThrow();
  return outcome;
}

const headerName = fc.oneof(
  fc.constantFrom(SIGNATURE_HEADER, "X-Service-Signature", "__proto__", "constructor"),
  fc.constantFrom("content-type", ""),
  fc.string({ unit: "binary" }),
);
const headerValue = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", " ", "sha256=", `sha256=${"0".repeat(64)}`, `SHA256=${"0".repeat(64)}`),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.constant(undefined),
);
const headerBag = fc
  .array(fc.tuple(headerName, headerValue), { maxLength: 6 })
  .map((pairs) => Object.fromEntries(pairs) as Delivery["headers"]);

const ODD_NUMBERS = ["1e400", "-0", "1.0", "01", "NaN"];
const ODD_TEXTS = ["null", '"\\ud800"', '"\\u0000"', '"\u202e"', "{", "]", ""];
const anyKey = fc.constantFrom("a", "__proto__", "constructor", "prototype", "\\u0061", "");
const oddJson = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...ODD_NUMBERS, ...ODD_TEXTS),
    fc.json({ maxDepth: 2 }),
    fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
    fc
      .array(fc.tuple(anyKey, tie("value")), { maxLength: 3 })
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(",")}}`),
  ),
})).value;

/** A valid envelope. */
const goodEnvelope = fc
  .record({
    event: fc.constantFrom(
      ...eventKinds.filter((kind) => kind !== "property.created"),
      "lease.signed",
    ),
    timestamp: fc.integer({ min: -6 * 86_400_000, max: 200_000 }).map(at),
    data: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 4 },
    ),
    webhook: fc.constant({ id: "wh_1", url: "https://receiver.test/webhooks" }),
  })
  .map((envelope) => JSON.stringify(envelope))
  // Random values may contain forbidden keys, which have separate tests.
  .filter((text) => readEnvelope(Buffer.from(text)).ok)
  .map((text) => Buffer.from(text));

/** An envelope with something invalid or odd in it. */
const mutatedEnvelope = fc.oneof(
  fc
    .tuple(goodEnvelope, fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([body, where, byte]) =>
      Buffer.from(body).fill(byte, where % body.length, (where % body.length) + 1),
    ),
  fc.tuple(goodEnvelope, fc.nat()).map(([body, where]) => body.subarray(0, where % body.length)),
  fc.tuple(goodEnvelope, fc.uint8Array({ maxLength: 8 }), fc.nat()).map(([body, more, where]) => {
    const cut = where % body.length;
    return Buffer.concat([body.subarray(0, cut), more, body.subarray(cut)]);
  }),
  fc
    .tuple(fc.constantFrom("event", "timestamp", "data", "webhook", "id", "more"), oddJson)
    .map(([name, value]) =>
      Buffer.from(
        ["event", "timestamp", "data", "webhook", "id"]
          .map((field) => {
            const good = {
              event: "lease.signed",
              timestamp: at(0),
              data: {},
              webhook: { id: "wh_1", url: "" },
            };
            const own = field === "id" ? "evt_1" : good[field as keyof typeof good];
            return `"${field}":${field === name ? value : JSON.stringify(own)}`;
          })
          .join(",")
          .replace(/^/, "{")
          .concat(name === "more" ? `,"more":${value}}` : "}"),
      ),
    ),
);

it(
  "random bytes with random headers are never authentic",
  async () => {
    const receiver = receivers();
    const opened = await receiver();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), headerBag, async (body, headers) => {
        const { type } = await acceptSafely(opened.receiver, {
          ...deliveryOf(body, headers),
          receivedAt: NOW,
        });
        expect(type).toBe("unauthorized");
      }),
      { numRuns: RUNS },
    );
    expect(await opened.entries()).toEqual([]);
    expect(opened.lines).toEqual([]);
  },
  TIME,
);

/** Minimal changes to a header's value or a body. */
const change = fc.oneof(
  fc.record({ part: fc.constant("body bit" as const), where: fc.nat() }),
  fc.record({ part: fc.constant("digest bit" as const), where: fc.nat({ max: 255 }) }),
  fc.record({
    part: fc.constant("value" as const),
    where: fc.nat(),
    text: fc.string({ unit: "binary", minLength: 1 }),
  }),
  fc.record({ part: fc.constant("shorter" as const), where: fc.nat() }),
  fc.record({ part: fc.constant("case" as const), where: fc.nat() }),
  fc.record({
    part: fc.constant("secret" as const),
    where: fc.nat(),
    text: fc.string({ minLength: 1 }),
  }),
);

it(
  "only the exact digest of the exact bytes is authentic",
  async () => {
    const next = receivers();
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        change,
        async (body, how) => {
          const { receiver, entries } = await next();
          const before = (await entries()).length;
          const right = sign(body, SECRET);
          let signature = right;
          const sent = Buffer.from(body);
          if (how.part === "body bit") {
            const bit = how.where % (body.length * 8);
            sent[bit >> 3] = (sent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          } else if (how.part === "digest bit") {
            const digest = Buffer.from(right.slice(7), "hex");
            digest[how.where >> 3] = (digest[how.where >> 3] ?? 0) ^ (1 << (how.where & 7));
            signature = `sha256=${digest.toString("hex")}`;
          } else if (how.part === "value") {
            const cut = how.where % (right.length + 1);
            signature = right.slice(0, cut) + how.text + right.slice(cut);
          } else if (how.part === "shorter") {
            const cut = how.where % right.length;
            signature = right.slice(0, cut) + right.slice(cut + 1);
          } else if (how.part === "case") {
            const cut = how.where % right.length;
            signature =
              right.slice(0, cut) + right.charAt(cut).toUpperCase() + right.slice(cut + 1);
          } else signature = sign(body, `${SECRET}${how.text}`);

          if (signature !== right || !sent.equals(body)) {
            const forged = deliveryOf(sent, { [SIGNATURE_HEADER]: signature });
            expect((await acceptSafely(receiver, forged)).type).toBe("unauthorized");
            expect(await entries()).toHaveLength(before);
          }
          const genuine = deliveryOf(body, { [SIGNATURE_HEADER]: right });
          expect((await acceptSafely(receiver, genuine)).type).not.toBe("unauthorized");
        },
      ),
      { numRuns: RUNS },
    );
  },
  TIME,
);

it(
  "every authentic delivery leaves exactly one entry with its bytes",
  async () => {
    const next = receivers();
    const anything = fc.oneof(
      mutatedEnvelope,
      mutatedEnvelope,
      goodEnvelope,
      fc.uint8Array({ maxLength: 100 }),
    );
    let events = 0;
    let rejections = 0;
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        const { receiver, lines, entries } = await next();
        const before = (await entries()).length;
        const first = await acceptSafely(receiver, deliveryOf(body));
        if (first.type !== "accepted" && first.type !== "rejected")
          throw new Error(`it was ${first.type}`);
        if (first.type === "accepted") events++;
        else rejections++;
        expect(await entries()).toHaveLength(before + (first.duplicate ? 0 : 1));
        if (!first.duplicate) {
          const kept =
            (await inboxOf(receiver).delivery(first.seq))?.body ?? Buffer.from("nothing");
          expect(Buffer.from(kept).equals(Buffer.from(body))).toBe(true);
        }
        // A second time: the same entry, counted as a duplicate.
        const again = await acceptSafely(receiver, deliveryOf(body));
        expect(again).toMatchObject({ type: first.type, seq: first.seq, duplicate: true });
        expect(await entries()).toHaveLength(before + (first.duplicate ? 0 : 1));
        expect(lines.filter(({ level }) => level === "error")).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    // Both results occurred often enough to be meaningful.
    expect(Math.min(events, rejections)).toBeGreaterThan((events + rejections) / 20);
  },
  TIME,
);

it(
  "a connection gets only 4xx answers, or is closed, whatever bytes it sends",
  async () => {
    const { raw, nothingKept, stillServes, lines } = await openServer({ bodyTimeout: 200 });
    const caught = uncaught();
    const request = head({ "content-length": 2, connection: "close" });
    const noise = fc.oneof(
      fc
        .uint8Array({ minLength: 1, maxLength: 300 })
        .map((junk) => Buffer.concat([junk, Buffer.from("\r\n\r\n\r\n")])),
      fc
        .tuple(fc.nat({ max: request.length - 1 }), fc.integer({ min: 0, max: 255 }))
        .map(([where, byte]) => Buffer.from(`${request}{}\r\n\r\n`).fill(byte, where, where + 1)),
    );
    await fc.assert(
      fc.asyncProperty(noise, async (packet) => {
        // Complete requests are answered; incomplete ones run into their time limits.
        const answered = statuses(
          await raw(packet, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        );
        expect(answered.filter((status) => status < 400 || status >= 500)).toEqual([]);
      }),
      {
        numRuns: long(150, 5000),
        interruptAfterTimeLimit: TIME - 5000,
        markInterruptAsFailure: true,
      },
    );
    await nothingKept();
    expect([caught, lines]).toEqual([[], []]);
    await stillServes();
  },
  TIME,
);
