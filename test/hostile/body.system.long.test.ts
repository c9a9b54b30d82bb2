import { deflateSync, gzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { printable } from "../../src/cli/output.ts";
import { SIGNATURE_HEADER, sign } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import type { Accepted } from "../../src/receiver/outcome.ts";
import { long } from "../long.ts";
import { expectError, json } from "../receiver/open.ts";
import {
  at,
  bytes,
  envelope,
  freshEnvelope,
  inboxFile,
  keptBytes,
  NOW,
  SECRET,
  signedHeaders,
  until,
} from "../receiver/sample.ts";
import { dial, readAll } from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { chunkOf, head, openServer, statuses } from "./open.ts";

const GOOD = bytes(envelope());
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const MIB = 1024 * 1024;

/** An envelope's JSON with the given text as its data. */
const withData = (data: string) =>
  JSON.stringify(envelope()).replace(/"data":\{[^}]*\}/, `"data":${data}`);

/**
 * Sends signed bytes that are not an event; expects 400 and a new dead letter with these bytes for
 * each.
 */
async function expectRejected(
  bodies: readonly (readonly [body: Uint8Array | string, reason: string, field?: string])[],
) {
  const opened = await openServer({ bodyLimit: 16 * MIB });
  const run = vi.fn();
  opened.receiver.on("*", run);
  for (const [index, [content, reason, field]] of bodies.entries()) {
    const body = bytes(content);
    const reply = await opened.post(body);
    const name = body.toString("latin1").slice(0, 200);
    expect([name, reply.status]).toEqual([name, 400]);
    expectError(reply, 400, "invalid_request", field);
    expect([name, opened.reasons().at(-1)]).toEqual([name, reason]);
    const entries = await opened.entries();
    expect(entries).toHaveLength(index + 1);
    expect(entries.at(-1)).toMatchObject({ state: "dead", reason, attempts: 0, duplicates: 0 });
    expect((await keptBytes(inboxOf(opened.receiver), entries.at(-1)?.seq)).equals(body)).toBe(
      true,
    );
  }
  expect(run).not.toHaveBeenCalled();
  await opened.stillServes();
  return opened;
}

it(caseTitle(23), async () => {
  const { receiver, post, ask, entry, untilState } = await openServer();
  const run = vi.fn();
  receiver.on("payment.received", ({ data }) => run(data));
  const body = Buffer.concat([BOM, GOOD]);
  // A text decoder drops the mark, which changes the MAC: the mark must be verified too.
  const decoded = { body, headers: { [SIGNATURE_HEADER]: sign(GOOD, SECRET) } };
  expectError(await ask(decoded), 401, "unauthorized");
  expect((await post(body)).status).toBe(200);
  await untilState("handled");
  expect(run).toHaveBeenCalledExactlyOnceWith({ id: "payment_1", amount: 1200 });
  expect(await keptBytes(inboxOf(receiver), (await entry()).seq)).toEqual(body);
  // the same event, with or without the mark
  expect(json(await post(GOOD))).toMatchObject({ duplicate: true });
});

it(caseTitle(24), async () => {
  const around = (...middle: number[]) => {
    const [before = "", after = ""] = withData('{"name":"@"}').split("@");
    return Buffer.concat([Buffer.from(before), Buffer.from(middle), Buffer.from(after)]);
  };
  await expectRejected([
    [Buffer.concat([GOOD, Buffer.from([0xff])]), "invalid_utf8"],
    [around(0xc0, 0x80), "invalid_utf8"], // overlong NUL
    [around(0xe0, 0x80, 0xaf), "invalid_utf8"], // overlong slash
    [around(0xed, 0xa0, 0x80), "invalid_utf8"], // lone surrogate
    [around(0xf4, 0x90, 0x80, 0x80), "invalid_utf8"], // beyond the last code point
    [around(0xe2, 0x82), "invalid_utf8"], // truncated
    [around(0xe9), "invalid_utf8"], // Latin-1
  ]);
});

it(caseTitle(25), async () => {
  const { ask, post, entry } = await openServer();
  const body = bytes(withData('{"name":"\uFFFD"}'));
  const at0 = body.indexOf(Buffer.from([0xef, 0xbf, 0xbd]));
  expect((await post(body)).status).toBe(200);
  for (const byte of [0xff, 0xfe, 0x80, 0xc3]) {
    const twin = Buffer.concat([
      body.subarray(0, at0),
      Buffer.from([byte]),
      body.subarray(at0 + 3),
    ]);
    expect(twin.toString("utf8")).toBe(body.toString("utf8")); // both decode to the same text
    expectError(await ask({ body: twin, headers: signedHeaders(body) }), 401, "unauthorized");
  }
  expect(await entry()).toMatchObject({ duplicates: 0 });
});

it(caseTitle(26), async () => {
  const text = JSON.stringify(envelope());
  const little = Buffer.from(text, "utf16le");
  const big = Buffer.from(little).swap16();
  const utf32 = Buffer.alloc(text.length * 4);
  for (const [index, letter] of [...text].entries())
    utf32.writeUInt32LE(letter.charCodeAt(0), index * 4);
  const { ask, reasons } = await expectRejected([
    [little, "invalid_json"],
    [big, "invalid_json"],
    [utf32, "invalid_json"],
    [Buffer.concat([Buffer.from([0xff, 0xfe]), little]), "invalid_utf8"],
    [Buffer.concat([Buffer.from([0xfe, 0xff]), big]), "invalid_utf8"],
  ]);
  for (const charset of ["utf-16", "utf-16le", "iso-8859-1", "nonsense", '"'.repeat(3)]) {
    const body = bytes(freshEnvelope());
    const headers = {
      ...signedHeaders(body),
      "content-type": `application/json; charset=${charset}`,
    };
    expect((await ask({ body, headers })).status).toBe(200);
  }
  expect(reasons().slice(-5)).toEqual(["accepted", "accepted", "accepted", "accepted", "accepted"]);
});

it(caseTitle(27), async () => {
  const { raw, ask, reasons, nothingKept, stillServes } = await openServer();
  const several = ["gzip, gzip", "identity, gzip"];
  for (const encoding of ["gzip", "br", "deflate", "zstd", ...several, "GZIP"]) {
    // The head is enough: no byte of the body is read.
    const own = { ...signedHeaders(GOOD), "content-encoding": encoding, "content-length": 500_000 };
    expect(statuses(await raw(head(own)))).toEqual([415]);
  }
  const bomb = gzipSync(Buffer.alloc(50 * MIB));
  for (const [encoding, body, signed] of [
    ["gzip", gzipSync(GOOD), GOOD], // the sender signed what it compressed
    ["gzip", gzipSync(GOOD), gzipSync(GOOD)],
    ["deflate", deflateSync(GOOD), GOOD],
    ["gzip", bomb, bomb],
  ] as const) {
    const headers = { ...signedHeaders(signed), "content-encoding": encoding };
    expectError(await ask({ body, headers }), 415, "unsupported_encoding");
  }
  expect(new Set(reasons())).toEqual(new Set(["content_encoding"]));
  await nothingKept();
  for (const encoding of ["identity", "x-nonsense", "UTF-8"]) {
    const plain = { ...signedHeaders(GOOD), "content-encoding": encoding };
    expect((await ask({ body: GOOD, headers: plain })).status).toBe(200);
  }
  await stillServes();
});

it(caseTitle(28, "declared"), async () => {
  const { raw, reasons, nothingKept } = await openServer({ bodyLimit: 1000 });
  const declared = (length: number | string) =>
    head({ ...signedHeaders(GOOD), "content-length": length });
  for (const length of [1001, Number.MAX_SAFE_INTEGER, "9".repeat(19)])
    expect(statuses(await raw(declared(length)))).toEqual([413]);
  expect(reasons()).toEqual(["too_large", "too_large", "too_large"]);
  await nothingKept();
});

it(caseTitle(28, "a false length"), async () => {
  const { raw, reasons, entries, nothingKept } = await openServer({ bodyTimeout: 50 });
  const signed = signedHeaders(GOOD);
  // The body is shorter than declared: the receiver waits until `bodyTimeout`.
  expect(statuses(await raw(head({ ...signed, "content-length": GOOD.length + 1 }), GOOD))).toEqual(
    [408],
  );
  await nothingKept();
  // The body is longer than declared: the extra bytes are read as another request, a malformed one.
  const answers = statuses(
    await raw(head({ ...signed, "content-length": GOOD.length }), GOOD, GOOD),
  );
  expect(answers.at(-1)).toBe(400);
  await until(() => expect(reasons()).toEqual(["too_slow", "accepted"]));
  expect(await entries()).toHaveLength(1);
});

it(caseTitle(28, "no length, 256 MB in chunks"), async () => {
  const { url, reasons, nothingKept, stillServes } = await openServer({ bodyLimit: 64 * 1024 });
  const socket = await dial(url);
  const answer = readAll(socket);
  socket.write(head({ ...signedHeaders(GOOD), "transfer-encoding": "chunked" }));
  const chunk = chunkOf(65_536);
  const before = process.memoryUsage().rss;
  let most = 0;
  for (let sent = 0; sent < 4096 && !socket.closed && socket.writable; sent++) {
    if (!socket.write(chunk))
      await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    most = Math.max(most, process.memoryUsage().rss);
  }
  await answer;
  expect(reasons()).toEqual(["too_large"]);
  expect(socket.bytesWritten).toBeLessThan(32 * MIB);
  expect(most - before).toBeLessThan(64 * MIB);
  await nothingKept();
  await stillServes();
});

it(
  caseTitle(28, "a sender that reads only after sending everything still gets its answer"),
  async () => {
    const { ask, reasons } = await openServer({ bodyLimit: 1000 });
    const body = Buffer.alloc(1500, 0x20);
    for (const sent of [body, [body.subarray(0, 700), body.subarray(700)]]) {
      expectError(
        await ask({ body: sent, headers: signedHeaders(body) }),
        413,
        "payload_too_large",
      );
    }
    expect(reasons()).toEqual(["too_large", "too_large"]);
  },
);

it(caseTitle(29), async () => {
  for (const [limit, options] of [
    [4096, { bodyLimit: 4096 }],
    [MIB, {}],
  ] as const) {
    const { ask, entries } = await openServer(options);
    const sized = (length: number) => {
      const body = bytes(freshEnvelope());
      return Buffer.concat([body, Buffer.alloc(length - body.length, 0x20)]);
    };
    for (const beyond of [-1, 0, 1]) {
      const status = beyond > 0 ? 413 : 200;
      const whole = sized(limit + beyond);
      const parts = sized(limit + beyond);
      expect((await ask({ body: whole, headers: signedHeaders(whole) })).status).toBe(status);
      const chunks = [parts.subarray(0, 100), parts.subarray(100)];
      expect((await ask({ body: chunks, headers: signedHeaders(parts) })).status).toBe(status);
    }
    expect(await entries()).toHaveLength(4);
  }
});

it(caseTitle(30), async () => {
  const text = JSON.stringify(envelope());
  const odd = ['{"amount":NaN}', '{"amount":Infinity}', '{"amount":1,}', '{"list":[1,]}'];
  const numbers = ['{"amount":01}', '{"amount":.5}', '{"amount":0x10}'];
  const others = ["{'amount':1}", "{amount:1}", '{"a":1 /* b */}', '{"t":"\t"}', '{"t":"\\x41"}'];
  const cut = [text.slice(0, -1), text.slice(0, 40)];
  const around = [`${text}${text}`, `${text}\n${text}`, `${text}x`, `\u00a0${text}`];
  const none = ["undefined", "event=payment.received", "<event/>", " "];
  const inside = [...odd, ...numbers, ...others].map(withData);
  const values = ["[]", `[${text}]`, '"payment.received"', "1", "-0", "true", "null"];
  await expectRejected([
    ...[...cut, ...around, ...none, ...inside].map((body) => [body, "invalid_json"] as const),
    ...values.map((body) => [body, "invalid_envelope"] as const),
  ]);
});

it(caseTitle(31), async () => {
  const text = JSON.stringify(envelope());
  const twice = (key: string, value: unknown) =>
    text.replace("{", `{"${key}":${JSON.stringify(value)},`);
  await expectRejected([
    [twice("event", "property.deleted"), "duplicate_key", "event"],
    [twice("\\u0065vent", "property.deleted"), "duplicate_key", "event"],
    [twice("timestamp", at(0)), "duplicate_key", "timestamp"],
    [withData('{"amount":1,"amount":1000000}'), "duplicate_key", "data.amount"],
    [withData('{"é":1,"\\u00e9":2}'), "duplicate_key", "data.é"],
    [withData('{"a":[{"b":{"c":1,"c":1}}]}'), "duplicate_key", "data.a.0.b.c"],
    [withData('{"":1,"":2}'), "duplicate_key", "data."],
    [text.replace("}", ',"x":{"y":1,"y":2}}'), "duplicate_key", "data.x.y"],
  ]);
});

it(caseTitle(32), async () => {
  const poison = '{"polluted":true}';
  const nested = withData(`{"a":[[{"b":{"__proto__":${poison}}}]]}`);
  const around = JSON.stringify(envelope()).replace("{", `{"__proto__":${poison},`);
  const twice = withData(`{"constructor":{"prototype":${poison}}}`);
  const { receiver, post } = await expectRejected([
    [withData(`{"__proto__":${poison}}`), "forbidden_key", "data.__proto__"],
    [withData(`{"\\u005f_proto__":${poison}}`), "forbidden_key", "data.__proto__"],
    [withData('{"__proto__":null}'), "forbidden_key", "data.__proto__"],
    [around, "forbidden_key", "__proto__"],
    [nested, "forbidden_key", "data.a.0.0.b.__proto__"],
    [twice, "forbidden_key", "data.constructor.prototype"],
  ]);
  const got: unknown[] = [];
  receiver.replaceHandlers((registry) => registry.on("*", ({ data }) => void got.push(data)));
  // Either word alone may be a legitimate field.
  const legitimate = { constructor: "Builder & Co", prototype: "model 3" };
  expect((await post(withData(JSON.stringify(legitimate)))).status).toBe(200);
  await until(() => expect(got).toContainEqual(legitimate));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

it(caseTitle(33), async () => {
  const nested = (depth: number) => withData(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
  const objects = (depth: number) => withData(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  const field = (value: string) => expect.stringContaining(value) as string;
  const { post } = await expectRejected([
    [nested(63), "too_deep", field("data.a.0")],
    [objects(64), "too_deep", field("data.a.a")],
    [nested(10_000), "too_deep", field("data.a.0")],
    [nested(500_000), "too_deep", field("data.a.0")],
    [nested(long(1_000_000, 5_000_000)), "too_deep", field("data.a.0")],
    ["[".repeat(100_000) + "]".repeat(100_000), "invalid_envelope"],
    ["[".repeat(100_000), "invalid_json"],
  ]);
  // The body and `data` are the first two of the 64 levels.
  expect((await post(nested(62))).status).toBe(200);
  expect((await post(objects(63))).status).toBe(200);
});

it(caseTitle(34), async () => {
  const many = long(20_000, 1_000_000);
  const { receiver, post, entries, stillServes } = await openServer({ bodyLimit: 64 * MIB });
  const sizes: unknown[] = [];
  receiver.on("*", ({ data }) => void sizes.push(Object.values(data).flat().length));
  const list = (make: (n: number) => string) =>
    Array.from({ length: many }, (_, n) => make(n)).join(",");
  const bodies = [
    `{${list((n) => `"key${n}":${n}`)}}`,
    `{${list((n) => `"${n}":0`)}}`, // keys that are array indexes
    `{${list((n) => `"${n * 65_536}":0`)}}`, // indexes that hash badly
    `{"list":[${list(() => "0")}]}`,
    `{"list":[${list(() => "{}")}]}`,
  ];
  for (const data of bodies) expect((await post(withData(data))).status).toBe(200);
  await until(() => expect(sizes).toEqual([many, many, many, many, many]));
  expect(await entries()).toHaveLength(5);
  await stillServes();
}, 300_000);

it(caseTitle(34, "over the default limit"), async () => {
  const { post, nothingKept } = await openServer();
  const keys = Array.from({ length: 100_000 }, (_, n) => `"key${n}":${n}`);
  expect((await post(withData(`{${keys.join(",")}}`))).status).toBe(413);
  await nothingKept();
});

it(caseTitle(35), async () => {
  const { receiver, post, entries } = await openServer();
  const kept: string[] = [];
  receiver.on("*", (_, { delivery }) => void kept.push(Buffer.from(delivery.body).toString()));
  const big = ["12345678901234567890", "12345678901234567891", `1${"0".repeat(400)}1`];
  const near = ["9007199254740993", "9007199254740992", "0.1", "0.10000000000000000555"];
  const infinite = ["1e400", "1e401", "-1e400", `1e${"9".repeat(1000)}`];
  const amounts = [...big, ...near, ...infinite, "1", "0"];
  const isDuplicate = async (amount: string) =>
    (json(await post(withData(`{"amount":${amount}}`))) as { duplicate: boolean }).duplicate;
  for (const amount of amounts)
    expect([amount, await isDuplicate(amount)]).toEqual([amount, false]);
  await until(() => expect(kept).toHaveLength(amounts.length));
  for (const amount of amounts) expect(kept).toContain(withData(`{"amount":${amount}}`));
  // The same exact value in another notation.
  for (const amount of ["1.0", "10e-1", "-0", "0e7", "0.100", "12345678901234567890.0", "10E399"])
    expect([amount, await isDuplicate(amount)]).toEqual([amount, true]);
  // A string differs from the number it looks like.
  expect(await isDuplicate('"1"')).toBe(false);
  expect(await entries()).toHaveLength(amounts.length + 1);
});

it(caseTitle(36), async () => {
  const { receiver, post, entries, stillServes } = await openServer({ bodyLimit: 4 * MIB });
  const got: unknown[] = [];
  receiver.on("*", ({ data }) => void got.push(data));
  const data = [
    '{"text":"a\\u0000b"}',
    '{"text":"a\\u0000c"}',
    '{"a\\u0000b":1}',
    '{"a\\u0000c":1}',
    '{"text":"\\ud800"}',
    '{"text":"\\ud801"}',
    '{"text":"\\udc00\\ud800"}',
    '{"text":"\uFFFD"}',
    '{"\\ud800":1}',
    '{"text":"\u202eevil\u202c \u2066x\u2069"}',
    '{"text":"\\u001b[31mred\\u001b]0;title\\u0007"}',
    `{"text":"${"x".repeat(MIB)}"}`,
    `{"text":"${"😀".repeat(100_000)}"}`,
  ];
  for (const text of data) {
    for (const duplicate of [false, true]) {
      expect(json(await post(withData(text)))).toMatchObject({ received: true, duplicate });
    }
  }
  await until(() => expect(got).toHaveLength(data.length));
  expect(got).toEqual(expect.arrayContaining(data.map((text) => JSON.parse(text))));
  for (const [index, { seq }] of (await entries()).entries()) {
    expect(
      (await keptBytes(inboxOf(receiver), seq)).equals(bytes(withData(data[index] ?? ""))),
    ).toBe(true);
  }
  expect(await entries()).toHaveLength(data.length);
  await stillServes();
});

it(caseTitle(36, "in the kind and the envelope's id"), async () => {
  const { post, entries, untilState, entry } = await openServer();
  const text = (parts: string) => JSON.stringify(envelope()).replace("{", `{${parts},`);
  await post(JSON.stringify(envelope({ event: "a\u0000\u001b[31m\u202e\ud800" })));
  await untilState("received");
  const { kind } = await entry();
  expect(kind).toBe("a\u0000\u001b[31m\u202e\ud800");
  expect(printable(kind ?? "")).toBe("a\\u0000\\u001b[31m\\u202e\\ud800");
  const ids = [
    '"a\\u0000b"',
    '"a\\u0000c"',
    '"\\ud800"',
    '"\\ud801"',
    '"\uFFFD"',
    `"${"x".repeat(MIB / 2)}"`,
  ];
  for (const id of ids) {
    for (const duplicate of [false, true]) {
      expect(json(await post(text(`"id":${id}`)))).toMatchObject({ duplicate });
    }
  }
  const kept = (await entries()).map(({ key }) => key.eventId);
  expect(new Set(kept).size).toBe(ids.length + 1);
  expect(kept.every((id) => id.length < 256)).toBe(true);
});

it(caseTitle(37), async () => {
  const without = (name: string) => JSON.stringify(envelope({ [name]: undefined }));
  const wrong = (parts: object) => JSON.stringify(envelope(parts));
  const webhook = (parts: object) =>
    wrong({ webhook: { id: "wh_1", url: "https://x.test/", ...parts } });
  const bad = (body: string, field: string): [string, string, string] => [
    body,
    "invalid_envelope",
    field,
  ];
  await expectRejected([
    bad("{}", "event"),
    ...["event", "timestamp", "data", "webhook"].map((name) => bad(without(name), name)),
    ...[1, null, true, [], {}, ["payment.received"]].map((event) => bad(wrong({ event }), "event")),
    ...[1, null, true, [], {}].map((timestamp) => bad(wrong({ timestamp }), "timestamp")),
    ...[1, null, true, [], [{}], "{}"].map((data) => bad(wrong({ data }), "data")),
    ...[1, null, true, [], "wh_1"].map((value) => bad(wrong({ webhook: value }), "webhook")),
    ...[undefined, 1, null, "", "1", "hook_1", "WH_1", " wh_1", ["wh_1"]].map((id) =>
      bad(webhook({ id }), "webhook.id"),
    ),
    ...[undefined, 1, null, {}].map((url) => bad(webhook({ url }), "webhook.url")),
  ]);
});

it(caseTitle(37, "extra fields"), async () => {
  const { receiver, post, untilState } = await openServer();
  const run = vi.fn();
  receiver.on("payment.received", (event) => run(event.envelope));
  const more = {
    version: 2,
    meta: { a: [1] },
    webhook: { id: "wh_1", url: "u", attempt: 3 },
    null: null,
  };
  const sent = envelope({ ...more, data: { id: "x", unheard: { of: true } } });
  expect((await post(sent)).status).toBe(200);
  await untilState("handled");
  expect(run).toHaveBeenCalledExactlyOnceWith(sent);
});

it(caseTitle(38), async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "error", "unknown"];
  const almost = ["payment.received ", " payment.received", "payment.received\n", "payment.*"];
  const spelt = ["Payment.Received", "payment.receiv\u00e9d", "../payment.received"];
  const others = ["lease.signed", "*", "", " ", "x".repeat(1_000_000)];
  const kinds = [...names, ...almost, ...spelt, ...others];
  const { receiver, post, entries } = await openServer();
  receiver.on("payment.received", () => {
    throw new Error("not for this one");
  });
  for (const event of kinds) expect((await post(envelope({ event }))).status).toBe(200);
  // A kind is truncated when it is stored; 200 characters are more than any list shows.
  const wanted = kinds.map((kind) => [kind.slice(0, 200), "received", "no_handler"]);
  await until(async () => {
    const kept = (await entries()).map(({ kind, state, reason }) => [kind, state, reason]);
    expect(kept).toEqual(wanted);
  });
});

it(caseTitle(38, "with handlers for unknown kinds"), async () => {
  const { receiver, post, entries } = await openServer();
  const got: string[] = [];
  receiver.onUnknown(({ kind }) => void got.push(`unknown ${kind}`));
  receiver.on("*", ({ kind }) => void got.push(`any ${kind}`));
  for (const event of ["lease.signed", "__proto__", "*"]) await post(envelope({ event }));
  await until(async () =>
    expect((await entries()).map(({ state }) => state)).toEqual(["handled", "handled", "handled"]),
  );
  expect(got.sort()).toEqual(
    ["lease.signed", "__proto__", "*"].flatMap((kind) => [`unknown ${kind}`, `any ${kind}`]).sort(),
  );
});

it(caseTitle(39), async () => {
  const inbox = inboxFile();
  const misfit = bytes(
    envelope({ event: "property.created", data: { id: "prop_1", rooms: "three" } }),
  );
  const old = await openServer({ inbox });
  const run = vi.fn();
  old.receiver.on("property.created", run);
  const reply = await old.post(misfit);
  expect(reply.status).toBe(200);
  expect(json(reply)).toMatchObject({ received: true, duplicate: false });
  expect(old.reasons()).toEqual(["invalid_data"]);
  await old.onlyDeadLetter("invalid_data", misfit);
  expect(json(await old.post(misfit))).toMatchObject({ duplicate: true });
  await old.receiver.close();
  expect(run).not.toHaveBeenCalled();

  const upgraded = await openServer({
    inbox,
    schemas: { "property.created": z.object({ rooms: z.string() }) },
  });
  upgraded.receiver.on("property.created", ({ data }) => run(data));
  expect(await inboxOf(upgraded.receiver).retry({ states: ["dead"] }, NOW)).toMatchObject({
    ended: 1,
  });
  await upgraded.untilState("handled");
  expect(run).toHaveBeenCalledExactlyOnceWith({ rooms: "three" });
});

const NO_YEARS = ["+275760-09-13", "-275760-01-01", "-000001-01-01", "+002026-01-15"];
const NO_DATES = [...NO_YEARS, "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10"];
const NO_TIMES = ["24:00:00", "23:60:00", "10:00:60", "10:00", "10:00:00.", "10:00:00,5"];
const NO_ZONES = ["", "+14:00", "-00:00", "-0000", " Z", "Z\n", "Z[Europe/Paris]"];
const NUMBERS = ["1", "1768471200", "1768471200000", "", " ", "now", "2026-01-15", "2026-W03-4"];
const OLDER_FORMS = ["Thu, 15 Jan 2026 10:00:00 GMT", "2026-01-15 10:00:00Z", "20260115T100000Z"];
const OTHER_LETTERS = [" 2026-01-15T10:00:00Z", "2026-01-15t10:00:00z", "２０２６-01-15T10:00:00Z"];
const OTHER_FORMS = [
  ...NO_ZONES.map((zone) => `2026-01-15T10:00:00${zone}`),
  ...NUMBERS,
  ...OLDER_FORMS,
  ...OTHER_LETTERS,
];
const WRONG_TIMESTAMPS = [
  ...NO_DATES.map((date) => `${date}T00:00:00Z`),
  ...NO_TIMES.map((time) => `2026-01-15T${time}Z`),
  ...OTHER_FORMS,
  "2016-12-31T23:59:60Z",
  "2026-01-15T10:00:00.0000000001Z",
  "x".repeat(100_000),
];

it(caseTitle(40), async () => {
  await expectRejected(
    WRONG_TIMESTAMPS.map((timestamp) => [
      JSON.stringify(envelope({ timestamp })),
      "invalid_timestamp",
      "timestamp",
    ]),
  );
});

it(caseTitle(40, "accepted formats, truncated to milliseconds"), async () => {
  const { post, entries, outcomes } = await openServer();
  const taken: readonly [string, number][] = [
    ["2026-01-15T10:00:00Z", 0],
    ["2026-01-15T10:00:00+00:00", 0],
    ["2026-01-15T10:00:00+0000", 0],
    ["2026-01-15T10:00:00z", 0],
    ["2026-01-15T10:00:00.000Z", 0],
    ["2026-01-15T10:00:00.1Z", 100],
    ["2026-01-15T10:00:00.123Z", 123],
    ["2026-01-15T10:00:00.123999999Z", 123],
    ["2026-01-15T10:00:00.123999999+00:00", 123],
  ];
  for (const [timestamp, millisecond] of taken) {
    expect((await post(freshEnvelope({ timestamp }))).status).toBe(200);
    expect((await entries()).at(-1)).toMatchObject({ eventTimestamp: NOW + millisecond });
  }
  // The same instant and data in another notation is the same event.
  for (const [timestamp] of taken.slice(0, 3)) await post(envelope({ timestamp }));
  expect(outcomes().slice(-3)).toMatchObject([
    { duplicate: false },
    { duplicate: true },
    { duplicate: true },
  ]);
});

it(caseTitle(41), async () => {
  const { receiver, post, outcomes, entry, untilState } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  const { event, timestamp, webhook } = envelope();
  const data = { name: "Renée 😀", list: [1, { b: 1, a: 2 }], amount: 1200 };
  const first = bytes({ event, timestamp, data, webhook });
  const escaped = JSON.stringify({ event, timestamp, data, webhook }).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const twins = [
    bytes(JSON.stringify({ webhook, data, timestamp, event })),
    bytes(JSON.stringify({ event, timestamp, data, webhook }, null, "\t")),
    bytes(escaped),
    bytes(escaped.replaceAll("\\ud83d\\ude00", "\\uD83D\\uDE00").replaceAll("1200", "12e2")),
    bytes({
      event,
      timestamp,
      data: { amount: 1200, list: [1, { a: 2, b: 1 }], name: data.name },
      webhook: { url: "https://elsewhere.test/", id: "wh_2" },
    }),
  ];
  expect(twins.some((twin) => twin.equals(first))).toBe(false);
  for (const body of [first, ...twins]) expect((await post(body)).status).toBe(200);
  expect(outcomes().map((outcome) => (outcome as Accepted).duplicate)).toEqual([
    false,
    ...twins.map(() => true),
  ]);
  await untilState("handled");
  expect(await entry()).toMatchObject({ duplicates: twins.length, attempts: 1 });
  expect(run).toHaveBeenCalledOnce();
  expect(await keptBytes(inboxOf(receiver))).toEqual(first);
  // An array in another order is a different value.
  await post({ event, timestamp, data: { ...data, list: [{ b: 1, a: 2 }, 1] }, webhook });
  expect(outcomes().at(-1)).toMatchObject({ duplicate: false });
});
