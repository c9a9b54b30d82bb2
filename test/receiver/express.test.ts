import express from "express";
import { describe, expect, it } from "vitest";
import { expressReceiver } from "../../src/receiver/express.ts";
import { expectError, json, openReceiver, posting } from "./open.ts";
import { bytes, envelope, keptBytes, signedHeaders } from "./sample.ts";
import { listenExpress, send } from "./wire.ts";

const GOOD = bytes(envelope());

/** Milliseconds; a receiver that waited for the rest of a body would not answer within the test. */
const LONGER_THAN_A_TEST = 300_000;

/** A user's app around a receiver. */
async function openApp(
  mount: (app: express.Express, endpoint: express.RequestHandler) => unknown,
  options = {},
) {
  const opened = await openReceiver(options);
  const url = await listenExpress((app) => mount(app, expressReceiver(opened.receiver)));
  return { ...opened, url, ...posting(url) };
}

describe("expressReceiver", () => {
  it.each<[string, express.RequestHandler]>([
    ["express.json()", express.json()],
    ["express.text()", express.text({ type: "*/*" })],
    [
      "a host that sets its own body and does not read the stream",
      (request, _, next) => {
        request.body = {};
        next();
      },
    ],
    [
      "a parser that reads the stream and sets no body",
      (request, _, next) => void request.resume().on("end", next),
    ],
  ])("[case 53] answers 500 at once behind %s, and the log names the fix", async (_, parser) => {
    const { post, lines, outcomes, entries } = await openApp(
      (app, endpoint) => app.use(parser).use("/webhooks", endpoint),
      { bodyTimeout: LONGER_THAN_A_TEST },
    );
    expectError(await post(GOOD), 500, "server_error");
    expect(outcomes()).toMatchObject([
      { type: "misconfigured", error: { name: "ConfigurationError", code: "body_already_parsed" } },
    ]);
    expect(lines).toMatchObject([{ level: "error", fields: { code: "body_already_parsed" } }]);
    expect(lines[0]?.message).toContain("before express.json()");
    expect(await entries()).toEqual([]);
  });

  it("[case 53] answers 500 even to an unsigned body", async () => {
    const { ask } = await openApp((app, endpoint) => app.use(express.json()).use("/webhooks", endpoint));
    expect((await ask({ headers: { "content-type": "application/json" }, body: GOOD })).status).toBe(500);
  });

  it("accepts the bytes from express.raw()", async () => {
    const { post, receiver } = await openApp((app, endpoint) =>
      app.use(express.raw({ type: "*/*" })).use("/webhooks", endpoint),
    );
    expect(json(await post(GOOD))).toMatchObject({ received: true });
    expect(await keptBytes(receiver.inbox)).toEqual(GOOD);
    expect((await post("")).status).toBe(400);
  });

  it("applies its own limit to a body from express.raw()", async () => {
    const { post, ask } = await openApp(
      (app, endpoint) => app.use(express.raw({ type: "*/*" })).use("/webhooks", endpoint),
      { bodyLimit: GOOD.length },
    );
    expect((await post(GOOD)).status).toBe(200);
    const body = Buffer.concat([GOOD, bytes(" ")]);
    expect((await ask({ headers: signedHeaders(body), body })).status).toBe(413);
  });

  it("works behind a parser that does not handle the body's content type", async () => {
    const { ask } = await openApp((app, endpoint) => app.use(express.json()).use("/webhooks", endpoint));
    const headers = { ...signedHeaders(GOOD), "content-type": "text/plain" };
    expect((await ask({ headers, body: GOOD })).status).toBe(200);
  });

  it.each<[string, (app: express.Express, endpoint: express.RequestHandler) => unknown]>([
    ["app.post", (app, endpoint) => app.post("/webhooks", endpoint)],
    ["app.all", (app, endpoint) => app.all("/webhooks", endpoint)],
    ["a router", (app, endpoint) => app.use(express.Router().use("/webhooks", endpoint))],
    ["a route of a router", (app, endpoint) => app.use("/", express.Router().post("/webhooks", endpoint))],
  ])("can be mounted with %s", async (_, mount) => {
    const { post, ask } = await openApp(mount);
    expect((await post(GOOD)).status).toBe(200);
    expect((await ask({ target: "/webhooks?x=1", headers: signedHeaders(GOOD), body: GOOD })).status).toBe(
      404,
    );
  });

  it("can be mounted in nested routers, or at the root", async () => {
    const { ask, entries } = await openApp((app, endpoint) =>
      app.use("/a", express.Router().use("/b", endpoint)).use(endpoint),
    );
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    const statuses: number[] = [];
    for (const target of ["/a/b", "/", "/a", "/a/b/c"]) {
      statuses.push((await ask({ ...request, target })).status);
    }
    expect(statuses).toEqual([200, 200, 404, 404]);
    expect(await entries()).toMatchObject([{ duplicates: 1 }]);
  });

  it("stores the target as sent", async () => {
    const { ask, receiver } = await openApp((app, endpoint) =>
      app.use("/a", express.Router().use("/b", endpoint)),
    );
    await ask({ target: "/a/b", headers: signedHeaders(GOOD), body: GOOD });
    expect((await receiver.inbox.delivery(1))?.target).toBe("/a/b");
  });

  it("[case 55] uses the secret of the receiver at the route", async () => {
    const rents = await openReceiver({ secret: "the-secret-of-rents-1" });
    const leads = await openReceiver({ secret: "the-secret-of-leads-1" });
    const url = await listenExpress((app) =>
      app.use("/rents", expressReceiver(rents.receiver)).use("/leads", expressReceiver(leads.receiver)),
    );
    const { ask } = posting(url);
    const statuses: number[] = [];
    for (const target of ["/rents", "/leads"]) {
      for (const secret of ["the-secret-of-rents-1", "the-secret-of-leads-1"]) {
        statuses.push((await ask({ target, headers: signedHeaders(GOOD, secret), body: GOOD })).status);
      }
    }
    expect(statuses).toEqual([200, 401, 401, 200]);
  });
});

describe("the path of an endpoint", () => {
  it("is where it is mounted, as Express matches it", async () => {
    const { ask } = await openApp((app, endpoint) => app.use("/webhooks", endpoint));
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    expect((await ask({ ...request, target: "/WEBHOOKS" })).status).toBe(200);
    expect((await ask({ ...request, target: "/webhooks?x" })).status).toBe(404);
    expect((await ask({ ...request, target: "/webhooks/below" })).status).toBe(404);
  });

  it("is exactly the option `path`, wherever it is mounted", async () => {
    const { receiver } = await openReceiver();
    const url = await listenExpress((app) => app.use(expressReceiver(receiver, { path: "/webhooks" })));
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    for (const target of ["/WEBHOOKS", "/webhooks/", "/", "//webhooks", "/webhooks?x"]) {
      expect((await send(url, { ...request, target })).status).toBe(404);
    }
    expect((await send(url, request)).status).toBe(200);
  });
});
