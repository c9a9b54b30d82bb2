import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { expectError, openReceiver, posting } from "../receiver/open.ts";
import { bytes, envelope, keptBytes, signedHeaders, uncaught, until } from "../receiver/sample.ts";
import { listenExpress, listenNode } from "../receiver/wire.ts";

const GOOD = bytes(envelope());

describe("nodeReceiver", () => {
  it.each([
    [undefined, ["/webhooks", "/webhooks/", "/webhooks?from=service", "/webhooks/?"]],
    ["/in", ["/in", "/in/", "/in?x=//&y"]],
    ["/in/", ["/in", "/in/", "/in?x"]],
    ["/", ["/", "/?x"]],
  ])(
    "has its endpoint at one path, with or without a closing slash and a query: %s",
    async (path, endpoints) => {
      const { receiver } = await openReceiver();
      const url = await listenNode(nodeReceiver(receiver, path === undefined ? {} : { path }));
      const { ask } = posting(url);
      const request = { headers: signedHeaders(GOOD), body: GOOD };
      for (const target of endpoints) {
        expect([target, (await ask({ ...request, target })).status]).toEqual([target, 200]);
      }
      const [endpoint = ""] = endpoints;
      for (const target of [`${endpoint}x`, `${endpoint}//`, "//", "/IN", "/WEBHOOKS", "*"]) {
        expect([target, (await ask({ ...request, target })).status]).toEqual([target, 404]);
      }
    },
  );

  it("takes the raw body of a platform that has parsed the body, as Cloud Functions do", async () => {
    const { receiver } = await openReceiver();
    const listener = nodeReceiver(receiver, { path: "/" });
    const url = await listenNode(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const rawBody = Buffer.concat(chunks);
      listener(Object.assign(request, { rawBody, body: JSON.parse(rawBody.toString()) }), response);
    });
    const spaced = bytes(JSON.stringify(envelope(), null, 2));
    const { ask } = posting(url);
    expect(
      (await ask({ target: "/?code=x", headers: signedHeaders(spaced), body: spaced })).status,
    ).toBe(200);
    expect(await keptBytes(inboxOf(receiver))).toEqual(spaced);
    expect((await ask({ target: "/", headers: signedHeaders(GOOD), body: spaced })).status).toBe(
      401,
    );
  });

  it("keeps the headers of a delivery over HTTP/2 as those of any other", async () => {
    const { receiver, entry } = await openReceiver();
    const server = createServer();
    server.on("request", nodeReceiver(receiver) as unknown as () => void);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    const headers = signedHeaders(GOOD);
    const request = client.request({ ":method": "POST", ":path": "/webhooks?token=x", ...headers });
    request.end(GOOD);
    const [answer] = await once(request, "response");
    expect(answer).toMatchObject({ ":status": 200 });
    const kept = await inboxOf(receiver).delivery((await entry()).seq);
    expect(kept).toMatchObject({ method: "POST", target: "/webhooks?token=x" });
    expect(kept?.headers).toEqual(headers);
  });

  it("writes nothing if another listener has already started the answer", async () => {
    const { receiver, outcomes } = await openReceiver();
    const listener = nodeReceiver(receiver);
    const url = await listenNode((request, response) => {
      listener(request, response);
      response.end("taken");
    });
    const { ask } = posting(url);
    expect(await ask({ headers: signedHeaders(GOOD), body: GOOD })).toMatchObject({
      status: 200,
      text: "taken",
    });
    expect(outcomes().length).toBeLessThan(2);
  });

  it.each(["nodeReceiver", "expressReceiver"])(
    "of %s can be awaited: its promise is resolved once the answer is written",
    async (adapter) => {
      const { receiver } = await openReceiver({ bodyLimit: GOOD.length });
      const written: [number, boolean][] = [];
      const note = async (response: ServerResponse, answered: unknown) => {
        expect(answered).toBeInstanceOf(Promise);
        expect(await answered).toBeUndefined();
        written.push([response.statusCode, response.writableEnded]);
      };
      const handle = nodeReceiver(receiver);
      const inExpress = expressReceiver(receiver);
      const url =
        adapter === "nodeReceiver"
          ? await listenNode((request, response) => {
              void note(response, handle(request, response));
            })
          : await listenExpress((app) =>
              app.use("/webhooks", (request, response, next) => {
                void note(response, inExpress(request, response, next));
              }),
            );
      const { ask } = posting(url);
      const headers = signedHeaders(GOOD);
      await ask({ headers, body: GOOD });
      await ask({ body: GOOD });
      await ask({ headers, body: Buffer.concat([GOOD, GOOD]) }); // the connection is closed slowly
      await until(() =>
        expect(written).toEqual([
          [200, true],
          [401, true],
          [413, true],
        ]),
      );
    },
  );

  it("[case 53] answers 500 at once if the body was read upstream, and the log names the fix", async () => {
    const { receiver, lines, entries } = await openReceiver();
    const listener = nodeReceiver(receiver);
    const url = await listenNode((request, response) => {
      request.resume().on("end", () => listener(request, response));
    });
    expectError(await posting(url).post(GOOD), 500, "server_error");
    expect(lines).toMatchObject([{ level: "error", fields: { code: "body_already_parsed" } }]);
    expect(await entries()).toEqual([]);
  });

  it("ends the connection, and nothing else, if the answer cannot be made or written", async () => {
    const caught = uncaught();
    const { receiver, entries } = await openReceiver();
    const patched = nodeReceiver(receiver);
    const failing = nodeReceiver({ receive: () => Promise.reject(new Error("no receiver")) });
    const url = await listenNode((request, response) => {
      response.end = () => {
        throw new Error("a patched end");
      };
      (request.headers["x-failing"] === undefined ? patched : failing)(request, response);
    });
    const { ask } = posting(url);
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    await expect(ask(request)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await entries()).toHaveLength(1);
    const headers = { ...request.headers, "x-failing": "1" };
    await expect(ask({ ...request, headers })).rejects.toMatchObject({ code: "ECONNRESET" });
    await sleep(10);
    expect(caught).toEqual([]);
  });
});
