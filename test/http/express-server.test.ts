import { once } from "node:events";
import { Agent, createServer as createNodeServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWebhookServer } from "../../src/entries/express.ts";

/**
 * An app that uses what apps rely on: helpers of requests and responses, settings, sub-apps,
 * errors.
 */
function sampleApp(): Express {
  const app = express();
  app.set("trust proxy", true).disable("x-powered-by");
  app.locals.name = "outer";
  app.get("/json", (request, response) => {
    const { ip, protocol, hostname, path, query, originalUrl } = request;
    response
      .status(201)
      .set("x-own", "1")
      .json({
        ip,
        protocol,
        hostname,
        path,
        query,
        originalUrl,
        accepts: request.accepts(["html", "json"]),
        header: request.get("X-Given"),
        xhr: request.xhr,
        app: request.app === app,
        same: response.app === app,
        name: response.app.locals.name,
      });
  });
  app.post(
    "/parsed",
    express.json(),
    (request, response) => void response.send({ got: request.body }),
  );
  app.get("/text", (_, response) => void response.type("txt").send("héllo"));
  app.get("/stream", (_, response) => {
    response.write("one,");
    setImmediate(() => response.end("two"));
  });
  app.get("/elsewhere", (_, response) => response.redirect("/text"));
  app.get("/fails", () => {
    throw new Error("no");
  });
  const inner = express();
  inner.get("/in", (request, response) => {
    response.json({
      base: request.baseUrl,
      app: request.app === inner,
      of: response.app === inner,
    });
  });
  app.use("/sub", inner);
  app.get("/sub/after", (request, response) => void response.json({ app: request.app === app }));
  app.use(
    ((_error, _request, response, _next) =>
      void response.sendStatus(500)) as express.ErrorRequestHandler,
  );
  return app;
}

async function answersOf(server: Server): Promise<object[]> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: object[] = [];
  const ask = async (path: string, options: RequestInit = {}) => {
    const reply = await fetch(base + path, { redirect: "manual", ...options });
    const headers = Object.fromEntries(
      [...reply.headers].filter(([name]) => !["date", "host"].includes(name)),
    );
    const text = (await reply.text()).replaceAll(base.slice(7), "HOST");
    answers.push({ path, status: reply.status, headers, text });
  };
  const headers = {
    "x-given": "yes",
    "x-forwarded-for": "203.0.113.7",
    "x-requested-with": "XMLHttpRequest",
  };
  await ask("/json?a=1&b=2", { headers });
  await ask("/parsed", {
    method: "POST",
    body: '{"a":1}',
    headers: { "content-type": "application/json" },
  });
  const paths = ["/text", "/stream", "/elsewhere", "/fails", "/sub/in", "/sub/after", "/nowhere"];
  for (const path of paths) await ask(path);
  await ask("/text", { method: "HEAD" });
  return answers;
}

describe("createWebhookServer", () => {
  it("serves an Express app exactly as Node's server does", async () => {
    const usual = await answersOf(createNodeServer({ keepAliveTimeout: 65_000 }, sampleApp()));
    expect(usual.map((one) => (one as { status: number }).status)).toEqual([
      201, 200, 200, 200, 302, 500, 200, 200, 404, 200,
    ]);
    expect(await answersOf(createWebhookServer(sampleApp()))).toEqual(usual);
  });

  it("creates requests and responses with the app's prototypes, so Express does not replace them", async () => {
    const app = express();
    const server = createWebhookServer(app);
    let born: unknown[] = [];
    server.prependListener("request", (request, response) => {
      born = [
        Object.getPrototypeOf(request) === app.request,
        Object.getPrototypeOf(response) === app.response,
      ];
    });
    app.get("/", (_, response) => void response.send("ok"));
    await answersOf(server);
    expect(born).toEqual([true, true]);
  });

  it("refuses what is no app, and options that it does not know or that cannot work", () => {
    expect(() => createWebhookServer({} as never)).toThrow("an Express app");
    const wrong: readonly (readonly [object, string])[] = [
      [{ timeout: 1 }, "the options of createWebhookServer"],
      [{ maxConection: 5 }, "did you mean maxConnections?"],
      [{ headersTimeout: -1 }, "milliseconds"],
      [{ requestTimeout: "1s" }, "milliseconds"],
      [{ connectionsCheckingInterval: 0 }, "milliseconds"],
      ...[0, -1, 1.5, Number.NaN, "4096", null].map(
        (most) => [{ maxConnections: most }, "maxConnections"] as const,
      ),
    ];
    for (const [options, says] of wrong) {
      const message = expect.stringContaining(says);
      expect(() => createWebhookServer(express(), options)).toThrow(
        expect.objectContaining({ name: "ConfigurationError", code: "option_invalid", message }),
      );
    }
    const none = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
    expect(() => createWebhookServer(express(), none)).not.toThrow();
  });

  it("accepts Node's time limits, and keeps idle connections for longer than balancers do", () => {
    const limits = { headersTimeout: 1234, requestTimeout: 5678, keepAliveTimeout: 91 };
    expect(createWebhookServer(express(), limits)).toMatchObject(limits);
    const left = { headersTimeout: undefined, maxConnections: undefined };
    const defaults = { headersTimeout: 60_000, keepAliveTimeout: 65_000 };
    expect(createWebhookServer(express(), left)).toMatchObject(defaults);
  });

  it("ends a connection that becomes idle only after it was closed", async () => {
    let answer = () => {};
    const app = express().get("/", (_, response) => {
      answer = () => void response.send("ok");
    });
    const server = createWebhookServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const request = get({ port, host: "127.0.0.1", agent }).once("response", (response) =>
      response.resume(),
    );
    await once(server, "request");
    const closed = new Promise((resolve) => server.close(resolve));
    answer();
    await once(request, "close");
    await closed; // otherwise only after 65 seconds
  });
});
