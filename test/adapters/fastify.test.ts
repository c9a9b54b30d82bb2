import fastify, { type FastifyServerOptions } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { fastifyReceiver } from "../../src/entries/fastify.ts";
import { openReceiver, posting } from "../receiver/open.ts";
import { bytes, envelope, signedHeaders } from "../receiver/sample.ts";

const GOOD = bytes(envelope());

/** An app of a user's, with a prefix, a hook and another route. */
async function openApp(prefix: string, path?: string, options: FastifyServerOptions = {}) {
  const opened = await openReceiver();
  const app = fastify({ bodyLimit: 10, ...options });
  onTestFinished(() => app.close());
  const seen: string[] = [];
  app.addHook("onRequest", async ({ method }) => void seen.push(method));
  app.register(fastifyReceiver(opened.receiver, { path }), { prefix });
  app.post("/other", async ({ body }) => body);
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  return { ...opened, app, seen, ...posting(new URL(`${prefix}${path ?? "/webhooks"}`, address)) };
}

it("serves its path below a prefix, whatever the app's limit of bodies, after the app's hooks", async () => {
  const { post, seen, entries } = await openApp("/api");
  expect((await post(GOOD)).status).toBe(200);
  expect(seen).toEqual(["POST"]);
  expect(await entries()).toHaveLength(1);
});

it.each(["text", "application/json; charset=utf-16", ";;", "multipart/form-data"])(
  "verifies the raw bytes of a delivery with the content type %s",
  async (type) => {
    const { ask } = await openApp("", "/in/");
    const headers = { ...signedHeaders(GOOD), "content-type": type };
    expect((await ask({ headers, body: GOOD })).status).toBe(200);
    expect((await ask({ target: "/in", headers, body: GOOD })).status).toBe(200);
  },
);

it("takes both spellings of its path in an app that ignores a closing slash", async () => {
  const { ask, entries } = await openApp("/api", undefined, {
    routerOptions: { ignoreTrailingSlash: true },
  });
  for (const target of ["/api/webhooks", "/api/webhooks/"]) {
    expect((await ask({ target, headers: signedHeaders(GOOD), body: GOOD })).status).toBe(200);
  }
  expect(await entries()).toHaveLength(1);
});

it("leaves the app's other routes, and their parsers, as they are", async () => {
  const { ask } = await openApp("/api");
  const headers = { "content-type": "application/json" };
  expect(await ask({ target: "/other", headers, body: bytes("[1]") })).toMatchObject({
    status: 200,
    text: "[1]",
  });
  expect((await ask({ target: "/other", headers, body: GOOD })).status).toBe(413);
  expect((await ask({ target: "/nowhere", headers, body: bytes("[1]") })).status).toBe(404);
});
