import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import type { Receiver } from "../../src/entries/index.ts";
import { SIGNATURE_HEADER, sign } from "../../src/entries/index.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { root } from "../docs/markdown.ts";
import { withoutTimers } from "../frozen-timers.ts";
import { expectError, json, openReceiver, posting } from "../receiver/open.ts";
import {
  bytes,
  envelope,
  freshEnvelope,
  gate,
  SECRET,
  signedHeaders,
  until,
  wrapInbox,
} from "../receiver/sample.ts";
import {
  dial,
  listenExpress,
  listenNode,
  type Request,
  readAll,
  splitAnswer,
} from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { head, openServer, statuses } from "./open.ts";

const GOOD = bytes(envelope());
const SIGNED = signedHeaders(GOOD);
const LAST = { connection: "close" };

it(caseTitle(42), async () => {
  const { ask, reasons, nothingKept, stillServes } = await openServer();
  const origin = { origin: "https://evil.test", "access-control-request-method": "POST" };
  const headers = { ...SIGNED, ...origin, "content-length": `${GOOD.length}` };
  const withoutCors = async (request: Request) => {
    const reply = await ask(request);
    expect(Object.keys(reply.headers).join(" ")).not.toContain("access-control");
    return reply;
  };
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
    const reply = await withoutCors({ method, headers, body: GOOD });
    expectError(reply, 405, "method_not_allowed");
    expect(reply.headers.allow).toBe("POST");
  }
  const looked = await ask({ method: "HEAD" });
  expect(looked).toMatchObject({ status: 405, text: "", headers: { allow: "POST" } });
  for (const target of ["/", "/webhook", "/other/webhooks"])
    expectError(await withoutCors({ target, headers, body: GOOD }), 404, "not_found");
  expect(new Set(reasons())).toEqual(new Set(["wrong_method", "wrong_path"]));
  await nothingKept();
  const allowed = await withoutCors({ body: GOOD, headers: { ...SIGNED, ...origin } });
  expect(allowed.status).toBe(200);
  await stillServes();
});

it(caseTitle(43), async () => {
  const { raw, nothingKept, reasons, stillServes } = await openServer();
  expect(statuses(await raw(head({ ...SIGNED, ...LAST })))).toEqual([401]);
  // Without a length there is no body; the bytes that follow are read as another request, a
  // malformed one.
  expect(statuses(await raw(head(SIGNED), GOOD)).at(-1)).toBe(400);
  expect(reasons()).toEqual(["signature_mismatch", "signature_mismatch"]);
  await nothingKept();
  await stillServes();
});

it(caseTitle(44), async () => {
  const { raw, nothingKept, caught, stillServes, reasons } = await openServer();
  const start = `POST /webhooks HTTP/1.1\r\nHost: x\r\n${SIGNATURE_HEADER}: ${SIGNED[SIGNATURE_HEADER]}\r\n`;
  const body = GOOD.toString();
  const size = GOOD.length;
  const hex = size.toString(16);
  const chunks = `${hex}\r\n${body}\r\n0\r\n\r\n`;
  const chunked = "Transfer-Encoding: chunked\r\n";
  const length = (value: string | number) => `Content-Length: ${value}\r\n`;
  const lengths = [`+${size}`, `-${size}`, `${size}, ${size}`, `0x${hex}`, `${size} 1`, "", "one"];
  const codings = ["chunked, identity", "identity", "xchunked", "chunked, chunked", "gzip"];
  const malformed = [
    `${length(size)}${chunked}\r\n${chunks}`,
    `${chunked}${length(size)}\r\n${chunks}`,
    `${length(size)}${length(size + 1)}\r\n${body}`,
    `${length(size)}${length(size)}\r\n${body}`,
    ...lengths.map((value) => `${length(value)}\r\n${body}`),
    `Content-Length : ${size}\r\n\r\n${body}`,
    ` ${length(size)}\r\n${body}`,
    ...codings.map((coding) => `Transfer-Encoding: ${coding}\r\n\r\n${chunks}`),
    ...["zz", "-1", "0x10", "f".repeat(17)].map((bad) => `${chunked}\r\n${bad}\r\n${body}`),
    `${chunked}\r\n${hex}\r\n${body}0\r\n\r\n`,
    `${chunked}\r\n\r\n${body}`,
    ...["X-Line: a\nX-Other: b", "X-Nul: a\0b", "no colon"].map((line) => `${line}\r\n\r\n`),
  ];
  for (const rest of malformed) {
    // If the connection stayed open, this would never end.
    const answers = statuses(await raw(start + rest));
    expect([rest.slice(0, 60), answers]).toEqual([rest.slice(0, 60), [400]]);
  }
  const others = reasons().filter((reason) => !["aborted", "signature_mismatch"].includes(reason));
  expect(others).toEqual([]);
  await nothingKept();
  expect(caught).toEqual([]);
  await stillServes();
});

it(caseTitle(44, "endless chunk extensions"), async () => {
  const { raw, nothingKept, stillServes } = await openServer();
  // one byte of body, and never the end of the chunk's header
  const extended = `1;${"x".repeat(64 * 1024)}`;
  const answer = await raw(head({ ...SIGNED, "transfer-encoding": "chunked" }), extended);
  expect(statuses(answer)).toEqual([413]);
  await nothingKept();
  await stillServes();
});

it(caseTitle(45), async () => {
  const { url, server, reasons, nothingKept, caught, stillServes } = await openServer();
  const ends = ["destroy", "resetAndDestroy", "end"] as const;
  const own = { ...SIGNED, "content-length": GOOD.length };
  for (const end of ends) {
    for (const sent of [0, 1, GOOD.length - 1]) {
      const socket = await dial(url);
      socket.write(head(own));
      await new Promise<void>((resolve) => socket.write(GOOD.subarray(0, sent), () => resolve()));
      socket[end]();
    }
    const chunked = await dial(url);
    chunked.write(head({ ...SIGNED, "transfer-encoding": "chunked" }));
    // everything but the last chunk
    chunked.write(`${GOOD.length.toString(16)}\r\n${GOOD}\r\n`, () => chunked[end]());
  }
  // If a connection is reset at once, the server may not have seen a request.
  await until(() => expect(reasons().length).toBeGreaterThanOrEqual(8));
  expect(new Set(reasons())).toEqual(new Set(["aborted"]));
  await nothingKept();
  await stillServes();
  await withoutTimers(() => server.close()); // resolves only when no connection is left
  expect(caught).toEqual([]);
});

it(caseTitle(46), async () => {
  const { url, reasons, nothingKept, stillServes } = await openServer({ bodyTimeout: 150 });
  const socket = await dial(url);
  socket.write(head({ ...SIGNED, "content-length": GOOD.length }));
  let at = 0;
  const drip = setInterval(() => socket.write(GOOD.subarray(at, ++at)), 10);
  onTestFinished(() => clearInterval(drip));
  const { status, head: answered } = splitAnswer(await readAll(socket));
  clearInterval(drip);
  expect(at).toBeLessThan(GOOD.length);
  expect(status).toBe(408);
  expect(answered).toMatch(/^connection: close$/im);
  expect(reasons()).toEqual(["too_slow"]);
  await nothingKept();
  await stillServes();
});

it(
  caseTitle(46, "no byte of the answer before the end of the body or before the commit"),
  async () => {
    const real = memoryInbox();
    const held = gate();
    const append: typeof real.append = async (entry) => {
      await held.opened;
      return real.append(entry);
    };
    const { url } = await openServer({ inbox: handleOf(wrapInbox(real, { append })) });
    const socket = await dial(url);
    let answered = "";
    socket.on("data", (chunk) => {
      answered += String(chunk);
    });
    socket.write(head({ ...SIGNED, ...LAST, "content-length": GOOD.length }));
    for (const piece of [GOOD.subarray(0, 50), GOOD.subarray(50)]) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(answered).toBe("");
    }
    held.open();
    await until(() => expect(statuses(answered)).toEqual([200]));
  },
);

it(caseTitle(47, "one keep-alive connection, each request judged by itself"), async () => {
  const { url, reasons, entries, stillServes } = await openServer();
  const socket = await dial(url);
  let answered = "";
  socket.on("data", (chunk) => {
    answered += String(chunk);
  });
  const wanted: number[] = [];
  for (let round = 0; round < 50; round++) {
    const body = bytes(freshEnvelope());
    const good = { ...signedHeaders(body), "content-length": body.length };
    // A forger gains nothing from an honest request that was authenticated just before on the same
    // connection.
    const requests: readonly [number, Record<string, string | number>][] = [
      [200, good],
      [401, { "content-length": body.length }],
      [401, { ...good, [SIGNATURE_HEADER]: SIGNED[SIGNATURE_HEADER] ?? "" }],
    ];
    for (const [status, headers] of requests) {
      socket.write(Buffer.concat([Buffer.from(head(headers)), body]));
      wanted.push(status);
      await until(() => expect(statuses(answered)).toEqual(wanted));
    }
  }
  expect(reasons().filter((reason) => reason === "accepted")).toHaveLength(50);
  expect(await entries()).toHaveLength(50);
  await stillServes();
});

it(caseTitle(47, "pipelined"), async () => {
  const { raw, entries } = await openServer();
  const own = { ...SIGNED, "content-length": GOOD.length };
  const request = (headers: object) => Buffer.concat([Buffer.from(head({ ...headers })), GOOD]);
  const forged = { ...own, [SIGNATURE_HEADER]: `sha256=${"0".repeat(64)}` };
  const packet = [request(own), request(forged), request(own), request({ ...forged, ...LAST })];
  expect(statuses(await raw(Buffer.concat(packet)))).toEqual([200, 401, 200, 401]);
  expect(await entries()).toMatchObject([{ duplicates: 1 }]);
});

it(caseTitle(48, "too large"), async () => {
  const { raw, reasons, nothingKept, stillServes } = await openServer({ bodyLimit: 1000 });
  const expecting = { ...SIGNED, expect: "100-continue" };
  // The receiver asks for no byte of the body.
  expect(statuses(await raw(head({ ...expecting, "content-length": 1001 })))).toEqual([413]);
  expect(reasons()).toEqual(["too_large"]);
  await nothingKept();
  await stillServes();
});

it(caseTitle(48, "within the limit"), async () => {
  const { url } = await openServer();
  const socket = await dial(url);
  socket.write(head({ ...SIGNED, ...LAST, expect: "100-continue", "content-length": GOOD.length }));
  const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  expect(statuses(first.toString())).toEqual([100]);
  socket.write(GOOD);
  expect(statuses((await readAll(socket)).toString())).toEqual([200]);
});

it(caseTitle(48, "another expectation"), async () => {
  const { raw, nothingKept } = await openServer();
  const answer = await raw(
    head({ ...SIGNED, ...LAST, expect: "banana", "content-length": GOOD.length }),
    GOOD,
  );
  expect(statuses(answer)).toEqual([417]);
  await nothingKept();
});

it(caseTitle(49), async () => {
  const { raw, nothingKept, stillServes, entries } = await openServer();
  const own = `${SIGNATURE_HEADER}: ${SIGNED[SIGNATURE_HEADER]}\r\nContent-Length: ${GOOD.length}\r\n`;
  const close = "Connection: close\r\n";
  expect(statuses(await raw(`POST /webhooks HTTP/1.1\r\n${own}${close}\r\n`, GOOD))).toEqual([400]);
  await nothingKept();
  // Neither is ever parsed: only the signature counts.
  const brackets = ["[", "]:::", "[::1]]"];
  const others = ["", "a b", "%%%", "http://x", "x:99999999", "é", "*", "\\\\x\\y"];
  for (const value of [...brackets, ...others]) {
    const names = ["Host", "Origin", "Referer", "X-Forwarded-Host"];
    const hosts = names.map((name) => `${name}: ${value}\r\n`).join("");
    const request = Buffer.from(`POST /webhooks HTTP/1.1\r\n${hosts}${own}${close}\r\n`, "latin1");
    expect([value, statuses(await raw(request, GOOD))]).toEqual([value, [200]]);
  }
  expect(await entries()).toHaveLength(1);
  await stillServes();
});

it(caseTitle(50), async () => {
  const { raw, receiver, entries, stillServes } = await openServer();
  const names = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"];
  const poison = Object.fromEntries(names.slice(1).map((name) => [name, "x"]));
  const start = head({ ...SIGNED, ...LAST, ...poison, "content-length": GOOD.length });
  expect(statuses(await raw(start.replace("\r\n\r\n", "\r\n__proto__: x\r\n\r\n"), GOOD))).toEqual([
    200,
  ]);
  expect(await entries()).toHaveLength(1);
  const kept = await inboxOf(receiver).delivery(1);
  expect(kept?.headers).toMatchObject({ "content-type": "application/json", prototype: "x" });
  expect(Object.getPrototypeOf(kept?.headers)).toBe(Object.prototype);
  expect(({} as { x?: unknown }).x).toBeUndefined();
  await stillServes();
});

it(caseTitle(50, "headersDistinct is never read"), () => {
  const source = join(root, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(50);
  const reading = files.filter((name) =>
    /(?:headers|trailers)Distinct/.test(readFileSync(join(source, name), "utf8")),
  );
  expect(reading).toEqual([]);
});

it(caseTitle(51), async () => {
  const { raw, reasons, nothingKept, stillServes } = await openServer();
  const hosts = ["http://evil.test/webhooks", "https://receiver.test/webhooks", "//webhooks"];
  const dots = ["/a/../webhooks", "/./webhooks", "/webhooks/.", "/webhooks/..", "/../webhooks"];
  const percents = ["/%2e/webhooks", "/%77ebhooks", "/webhooks%2f", "/webhooks%00", "/webhooks%"];
  const marks = ["/webhooks;x", "/webhooks;jsessionid=1", "/webhooks;x?y", "/webhooks#x"];
  const slashes = ["//evil.test/webhooks", "/webhooks//", "/webhooks//?x", "/?/webhooks"];
  const spelt = ["/WEBHOOKS", "/Webhooks", "/webhooks.json", "/webhook", "/webhooksx"];
  const odd = ["\\webhooks", "/\\webhooks", "*", "/%2e%2e/webhooks"];
  for (const target of [...hosts, ...dots, ...percents, ...marks, ...slashes, ...spelt, ...odd]) {
    const request = head({ ...SIGNED, ...LAST, "content-length": GOOD.length }, `POST ${target}`);
    const [status] = statuses(await raw(request, GOOD));
    // 400 if Node's parser rejects the target, else 404 as another endpoint.
    const isRead = target.startsWith("/") && !target.includes("\\");
    const allowed = isRead ? 404 : expect.toBeOneOf([404, 400]);
    expect([target, status]).toEqual([target, allowed]);
  }
  expect(new Set(reasons())).toEqual(new Set(["wrong_path"]));
  await nothingKept();
  await stillServes();
});

it(caseTitle(51, "a query or a closing slash, which lead to the same endpoint"), async () => {
  const { ask, receiver, stillServes } = await openServer();
  const targets = ["/webhooks/", "/webhooks?", "/webhooks?x=1", "/webhooks/?x=/../&y=%2e%00;z#a"];
  for (const [index, target] of targets.entries()) {
    const body = bytes(freshEnvelope());
    expect([target, (await ask({ target, body, headers: signedHeaders(body) })).status]).toEqual([
      target,
      200,
    ]);
    expect((await inboxOf(receiver).delivery(index + 1))?.target).toBe(target);
    expect([target, (await ask({ target, body })).status]).toEqual([target, 401]);
  }
  await stillServes();
});

it(caseTitle(52), async () => {
  const { ask, entries, stillServes } = await openServer();
  const simple = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  const others = ["image/png", "application/json; charset=latin1", "application/octet-stream"];
  const types = [undefined, ...simple, ...others, "nonsense", ";;;", ""];
  for (const type of types) {
    const body = bytes(freshEnvelope());
    const unsigned = type === undefined ? {} : { "content-type": type };
    const headers = { ...unsigned, [SIGNATURE_HEADER]: sign(body, SECRET) };
    expect([type, (await ask({ body, headers })).status]).toEqual([type, 200]);
    // The same without a signature, as a page in a browser could send it.
    expect([type, (await ask({ body, headers: unsigned })).status]).toEqual([type, 401]);
  }
  expect(await entries()).toHaveLength(types.length);
  await stillServes();
});

it(caseTitle(53, "a body parser in front, or a stream that was read before"), async () => {
  const readFirst = (request: IncomingMessage, next: () => unknown) =>
    void request.on("end", () => setImmediate(next)).resume();
  const behind = (parser: express.RequestHandler) => (receiver: Receiver) =>
    listenExpress((app) => app.use(parser).use("/webhooks", expressReceiver(receiver)));
  for (const listen of [
    behind(express.json()),
    behind(express.text({ type: "*/*" })),
    behind(express.urlencoded({ type: "*/*", extended: true })),
    // a platform that leaves the body, and the raw one as text
    behind((request, _, next) => {
      readFirst(request, next);
      Object.assign(request, { body: {}, rawBody: GOOD.toString() });
    }),
    behind((request, _, next) => readFirst(request, next)),
    (receiver: Receiver) => {
      const listener = nodeReceiver(receiver);
      return listenNode((request, response) =>
        readFirst(request, () => listener(request, response)),
      );
    },
  ]) {
    // If the receiver waited for the rest of the body, it would not answer within the test.
    const { receiver, lines, entries } = await openReceiver({ bodyTimeout: 300_000 });
    expectError(await posting(await listen(receiver)).post(GOOD), 500, "server_error");
    expect(lines).toMatchObject([{ level: "error", fields: { code: "body_already_parsed" } }]);
    expect(await entries()).toEqual([]);
  }
});

it(caseTitle(53, "a platform leaves other bytes than were signed"), async () => {
  const { receiver, entries, outcomes } = await openReceiver();
  const url = await listenExpress((app) => {
    app.use((request, _, next) => {
      Object.assign(request, { body: {}, rawBody: Buffer.from("{}") });
      next();
    });
    app.use("/webhooks", expressReceiver(receiver));
  });
  expectError(await posting(url).post(GOOD), 401, "unauthorized");
  expect(outcomes()).toMatchObject([{ type: "unauthorized", reason: "signature_mismatch" }]);
  expect(await entries()).toEqual([]);
});

it(caseTitle(54), async () => {
  const { receiver, post, ask, outcomes } = await openServer({ retry: { attempts: 1 } });
  receiver.on("*", () => {
    throw new Error("handler said: ключ 🔑 private");
  });
  const field = JSON.stringify(envelope()).replace(
    /"data":\{[^}]*\}/,
    '"data":{"é€😀":1,"é€😀":2}',
  );
  const reply = await post(field);
  // so the length in bytes exceeds that in characters
  expectError(reply, 400, "invalid_request", "data.é€😀");
  expect(Number(reply.headers["content-length"])).toBeGreaterThan(reply.text.length);
  for (const answer of [
    await post(envelope()),
    await post(envelope()),
    await ask({}),
    await ask({ target: "/%C3%A9" }),
  ]) {
    expect(Number(answer.headers["content-length"])).toBe(Buffer.byteLength(answer.text));
    expect(answer.text).not.toContain("handler");
  }
  expect(outcomes()).toHaveLength(5);
  await until(async () => expect((await inboxOf(receiver).counts()).dead).toBe(2));
  // Nor after the handler has failed.
  const again = await post(envelope());
  expect(json(again)).toMatchObject({ received: true, duplicate: true });
  expect(again.text).not.toContain("handler");
  expect((await inboxOf(receiver).attempts(2))[0]?.error).toContain("ключ 🔑");
});

it(caseTitle(55), async () => {
  const A = "the-secret-of-the-first-sender-01";
  const B = "the-secret-of-the-second-sender-2";
  const first = await openReceiver({ secret: A, source: "first" });
  const second = await openReceiver({ secret: B, source: "second" });
  const url = await listenExpress((app) => {
    app.use("/first", expressReceiver(first.receiver));
    app.use("/second", expressReceiver(second.receiver));
  });
  const { ask } = posting(url);
  const status = async (target: string, secret: string, claimed: string) => {
    // The body always names the other webhook, and is ignored.
    const body = bytes(
      freshEnvelope({ webhook: { id: `wh_${claimed}`, url: `https://x.test/${claimed}` } }),
    );
    return (await ask({ target, body, headers: signedHeaders(body, secret) })).status;
  };
  expect(await status("/first", A, "second")).toBe(200);
  expect(await status("/second", B, "first")).toBe(200);
  expect(await status("/first", B, "second")).toBe(401);
  expect(await status("/second", A, "first")).toBe(401);
  expect(await first.entries()).toMatchObject([{ key: { source: "first" } }]);
  expect(await second.entries()).toMatchObject([{ key: { source: "second" } }]);
});
