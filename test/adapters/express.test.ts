import { gzipSync } from "node:zlib";
import express from "express";
import { describe, expect, it } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import type { Receiver } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { expectError, json, openReceiver, posting } from "../receiver/open.ts";
import { bytes, envelope, keptBytes, signedHeaders, until } from "../receiver/sample.ts";
import { express4, listenExpress, send } from "../receiver/wire.ts";

const GOOD = bytes(envelope());

/** Milliseconds; a receiver that waited for the rest of a body would not answer within the test. */
const LONGER_THAN_A_TEST = 300_000;

/** Parses the body when it is first asked for, as Vercel's helpers do. */
const throwingParser: express.RequestHandler = (request, _response, next) => {
  Object.defineProperty(request, "body", {
    get() {
      throw new Error("Invalid JSON");
    },
  });
  next();
};

/** A user's app around a receiver. */
async function openApp(
  mount: (app: express.Express, endpoint: express.RequestHandler) => unknown,
  options = {},
  create?: typeof express,
) {
  const opened = await openReceiver(options);
  const url = await listenExpress((app) => mount(app, expressReceiver(opened.receiver)), create);
  return { ...opened, url, ...posting(url) };
}

describe("expressReceiver", () => {
  it("[case 53] answers 500 at once behind a parser, and the log names the fix; 401 without a signature", async () => {
    const { post, ask, lines, outcomes, entries } = await openApp(
      (app, endpoint) => app.use(express.json()).use("/webhooks", endpoint),
      { bodyTimeout: LONGER_THAN_A_TEST },
    );
    expectError(await post(GOOD), 500, "server_error");
    const code = "body_already_parsed";
    expect(outcomes()).toMatchObject([
      { type: "misconfigured", error: { name: "ConfigurationError", code } },
    ]);
    expect(lines).toMatchObject([{ level: "error", fields: { code } }]);
    expect(lines[0]?.message).toContain("before express.json()");
    const headers = { "content-type": "application/json" };
    expect((await ask({ headers, body: GOOD })).status).toBe(401);
    expect(await entries()).toEqual([]);
  });

  it("accepts the bytes from express.raw(), to its own limit", async () => {
    const { post, receiver } = await openApp(
      (app, endpoint) => app.use(express.raw({ type: "*/*" })).use("/webhooks", endpoint),
      { bodyLimit: GOOD.length },
    );
    expect(json(await post(GOOD))).toMatchObject({ received: true });
    expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
    expect((await post("")).status).toBe(400);
    expect((await post(Buffer.concat([GOOD, bytes(" ")]))).status).toBe(413);
  });

  describe.each([
    ["Express 5", express],
    ["Express 4", express4],
  ])("of %s", (_, create) => {
    it.each([
      ["express.json()", create.json(), "text/plain"],
      ["express.json() of one type", create.json({ type: "application/vnd.api+json" })],
      ["express.urlencoded()", create.urlencoded({ extended: true })],
      ["express.text()", create.text()],
      ["express.raw() of one type", create.raw({ type: "application/json" }), "text/plain"],
      ["a parser that throws when it is asked", throwingParser],
    ])("reads the body that %s has left", async (_, parser, type = "application/json") => {
      const { ask, receiver } = await openApp(
        (app, endpoint) => app.use(parser).use("/webhooks", endpoint),
        {},
        create,
      );
      const headers = { ...signedHeaders(GOOD), "content-type": type };
      expect((await ask({ headers, body: GOOD })).status).toBe(200);
      expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
      expect((await ask({ headers, body: bytes(envelope({ data: {} })) })).status).toBe(401);
    });
  });

  it.each<[string, (app: express.Express, endpoint: express.RequestHandler) => unknown]>([
    ["app.use", (app, endpoint) => app.use("/webhooks", endpoint)],
    ["app.post", (app, endpoint) => app.post("/webhooks", endpoint)],
    ["app.all", (app, endpoint) => app.all("/webhooks", endpoint)],
    ["a router", (app, endpoint) => app.use(express.Router().use("/webhooks", endpoint))],
    ["a router's route", (app, endpoint) => app.use(express.Router().post("/webhooks", endpoint))],
  ])("can be mounted with %s, and its path is what Express matches", async (_, mount) => {
    const { ask } = await openApp(mount);
    const signed = { headers: signedHeaders(GOOD), body: GOOD };
    for (const target of ["/WEBHOOKS", "/webhooks/", "/webhooks?x", "/webhooks/?x//"])
      expect([target, (await ask({ ...signed, target })).status]).toEqual([target, 200]);
    for (const target of ["/webhooks/below", "/webhooks//", "/webhooks/.", "/webhooks/%2e"])
      expect([target, (await ask({ ...signed, target })).status]).toEqual([target, 404]);
  });

  it.each([
    ["Express 5", express],
    ["Express 4", express4],
  ])("takes deliveries whose URL middleware of %s has rewritten", async (_, create) => {
    const { ask, receiver, lines } = await openApp(
      (app, endpoint) =>
        app
          .use((request, _response, next) => {
            request.url = request.url.replace(/^\/api/, "");
            next();
          })
          .use("/webhooks", endpoint),
      {},
      create,
    );
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    const targets = [
      "/api/webhooks?x=1",
      "/api/webhooks/",
      "/api/webhooks/below",
      "/api/webhooksx",
    ];
    const statuses: number[] = [];
    for (const target of targets) statuses.push((await ask({ ...request, target })).status);
    expect(statuses).toEqual([200, 200, 404, 404]);
    expect((await inboxOf(receiver).delivery(1))?.target).toBe(targets[0]);
    expect(lines).toHaveLength(1);
  });

  it("answers in an app whose middleware sets a header when the response ends", async () => {
    const { ask, entries } = await openApp((app, endpoint) =>
      app
        .use((_request, response, next) => {
          const end = response.end.bind(response) as (...given: unknown[]) => typeof response;
          response.end = (...given: unknown[]) => {
            response.setHeader("X-Response-Time", "1ms");
            return end(...given);
          };
          next();
        })
        .use("/webhooks", endpoint),
    );
    const headers = signedHeaders(GOOD);
    const timed = { "x-response-time": "1ms", "content-type": "application/json" };
    expect(await ask({ headers, body: GOOD })).toMatchObject({ status: 200, headers: timed });
    expect(await ask({ body: GOOD })).toMatchObject({ status: 401, headers: timed });
    const head = await ask({ method: "HEAD" });
    expect(head).toMatchObject({ status: 405, headers: { ...timed, allow: "POST" } });
    expect(await entries()).toHaveLength(1);
  });

  it("can be mounted in nested routers or at the root, and stores the target as sent", async () => {
    const { ask, entries, receiver } = await openApp((app, endpoint) =>
      app.use("/a", express.Router().use("/b", endpoint)).use(endpoint),
    );
    const first = "/a/b/?tenant=%41&code=x'y";
    const statuses: number[] = [];
    for (const target of [first, "/", "/a", "/a/b/c"]) {
      statuses.push((await ask({ target, headers: signedHeaders(GOOD), body: GOOD })).status);
    }
    expect(statuses).toEqual([200, 200, 404, 404]);
    expect(await entries()).toMatchObject([{ duplicates: 1 }]);
    expect((await inboxOf(receiver).delivery(1))?.target).toBe(first);
  });
});

describe("the path of an endpoint", () => {
  it("is exactly the option `path`, wherever it is mounted, apart from a closing slash and a query", async () => {
    const { receiver } = await openReceiver();
    const url = await listenExpress((app) =>
      app.use(expressReceiver(receiver, { path: "/webhooks" })),
    );
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    const others = ["/WEBHOOKS", "/", "//webhooks", "/webhooks//", "/%77ebhooks", "/?/webhooks"];
    for (const target of others) {
      expect([target, (await send(url, { ...request, target })).status]).toEqual([target, 404]);
    }
    for (const target of ["/webhooks", "/webhooks/", "/webhooks?x", "/webhooks/?x=1&y"]) {
      expect([target, (await send(url, { ...request, target })).status]).toEqual([target, 200]);
    }
  });
});

describe("a request for another path", () => {
  const mounts: readonly [string, (app: express.Express, receiver: Receiver) => unknown][] = [
    ["with a path", (app, receiver) => app.use(expressReceiver(receiver, { path: "/webhooks" }))],
    ["at a path", (app, receiver) => app.use("/webhooks", expressReceiver(receiver))],
  ];

  it.each(mounts)(
    "goes on to the rest of the app if the receiver is mounted %s",
    async (_, mount) => {
      const { receiver, seen, lines } = await openReceiver();
      const url = await listenExpress((app) => {
        mount(app, receiver);
        app.use(express.json());
        app.post("/webhooks/below", (request, response) => void response.json(request.body));
      });
      const request = {
        headers: { ...signedHeaders(GOOD), "content-type": "application/json" },
        body: GOOD,
      };
      const reply = await send(url, { ...request, target: "/webhooks/below" });
      expect([reply.status, JSON.parse(reply.text)]).toEqual([200, envelope()]);
      expect([seen, lines]).toEqual([[], []]);
      expect((await send(url, request)).status).toBe(200);
    },
  );

  it.each(mounts)(
    "is reported once if it is signed and the app answers 404, with the receiver mounted %s",
    async (_, mount) => {
      const { receiver, outcomes, lines, entries } = await openReceiver();
      const url = await listenExpress((app) => mount(app, receiver));
      const target = "/webhooks/below";
      const unsigned = await send(url, { target, body: GOOD });
      expect([unsigned.status, unsigned.text]).toEqual([
        404,
        expect.stringContaining("Cannot POST"),
      ]);
      expect([outcomes(), lines]).toEqual([[], []]);
      expect((await send(url, { target, headers: signedHeaders(GOOD), body: GOOD })).status).toBe(
        404,
      );
      await until(() => expect(outcomes()).toEqual([{ type: "refused", reason: "wrong_path" }]));
      expect(lines).toMatchObject([{ level: "warn", fields: { reason: "wrong_path" } }]);
      expect(lines[0]?.message).toContain("listens at /webhooks");
      expect(await entries()).toEqual([]);
    },
  );

  it("is left to another receiver without a warning", async () => {
    const rents = await openReceiver();
    const leads = await openReceiver();
    const url = await listenExpress((app) =>
      app
        .use(expressReceiver(rents.receiver, { path: "/rents" }))
        .use(expressReceiver(leads.receiver, { path: "/leads" })),
    );
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    expect((await send(url, { ...request, target: "/leads" })).status).toBe(200);
    expect(rents.seen).toEqual([]);
    expect(rents.lines).toEqual([]);
  });
});

describe("a raw body that is already there", () => {
  const keepRaw: express.RequestHandler = express.json({
    verify: (request, _response, raw) => Object.assign(request, { rawBody: raw }),
  });
  const asJson = (body: Buffer) => ({ ...signedHeaders(body), "content-type": "application/json" });

  it("is used if express.json() kept it with `verify`", async () => {
    const { ask, receiver } = await openApp((app, endpoint) =>
      app.use(keepRaw).use("/webhooks", endpoint),
    );
    const spaced = bytes(JSON.stringify(envelope(), null, 2));
    expect((await ask({ headers: asJson(spaced), body: spaced })).status).toBe(200);
    expect(await keptBytes(inboxOf(receiver))).toEqual(spaced);
  });

  it("is only bytes: its signature and its limit hold as for any body", async () => {
    const { ask, entries } = await openApp(
      (app, endpoint) => app.use(keepRaw).use("/webhooks", endpoint),
      {
        bodyLimit: GOOD.length,
      },
    );
    const other = bytes(envelope({ data: {} }));
    expect((await ask({ headers: asJson(GOOD), body: other })).status).toBe(401);
    expect(
      (await ask({ headers: { "content-type": "application/json" }, body: GOOD })).status,
    ).toBe(401);
    const long = Buffer.concat([GOOD, bytes(" ")]);
    expect((await ask({ headers: asJson(long), body: long })).status).toBe(413);
    const packed = gzipSync(GOOD);
    const zipped = { ...asJson(GOOD), "content-encoding": "gzip" };
    expect((await ask({ headers: zipped, body: packed })).status).toBe(415);
    expect(await entries()).toEqual([]);
    expect((await ask({ headers: asJson(GOOD), body: GOOD })).status).toBe(200);
  });

  it("[case 53] is not used unless it is bytes: 500, and the log names the fix", async () => {
    const parsed = /before express\.json\(\).*rawBody: true.*bodyParser: false.*NODEJS_HELPERS=0/;
    const given: [unknown, RegExp][] = [
      [GOOD.toString(), /rawBody to be bytes, got text.*\bBuffer\b.*encoding: false/],
      [{ type: "Buffer", data: [...GOOD] }, parsed],
      [[...GOOD], parsed],
      [undefined, parsed],
    ];
    for (const [rawBody, told] of given) {
      const { post, lines, entries } = await openApp((app, endpoint) =>
        app
          .use(express.json({ type: "*/*" }), (request, _response, next) => {
            Object.assign(request, { rawBody });
            next();
          })
          .use("/webhooks", endpoint),
      );
      expectError(await post(GOOD), 500, "server_error");
      expect(lines).toMatchObject([{ level: "error", fields: { code: "body_already_parsed" } }]);
      expect(lines[0]?.message).toMatch(told);
      expect(await entries()).toEqual([]);
    }
  });

  it("may be bytes of any class", async () => {
    const { ask } = await openApp((app, endpoint) =>
      app
        .use(express.json({ type: "*/*" }), (request, _response, next) => {
          Object.assign(request, { rawBody: new Uint8Array(GOOD) });
          next();
        })
        .use("/webhooks", endpoint),
    );
    expect((await ask({ headers: signedHeaders(GOOD), body: GOOD })).status).toBe(200);
  });

  it.each(["json", "text", "urlencoded"] as const)(
    "that express.%s() has read is refused at once, even if it left nothing",
    async (parser) => {
      const { ask, lines } = await openApp(
        (app, endpoint) =>
          app
            .use(express4[parser]({ type: "*/*" }), (request, _response, next) => {
              request.body = {};
              next();
            })
            .use("/webhooks", endpoint),
        { bodyTimeout: LONGER_THAN_A_TEST },
        express4,
      );
      expectError(await ask({ headers: signedHeaders(GOOD), body: GOOD }), 500, "server_error");
      expect(lines).toMatchObject([{ fields: { code: "body_already_parsed" } }]);
    },
  );
});
