import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { HEAD_TIMEOUT, type ServerOptions, startServer } from "../../src/adapters/server.ts";
import { openReceiver, posting } from "../receiver/open.ts";
import { bytes, envelope, signedHeaders } from "../receiver/sample.ts";
import { dial, readAll, splitAnswer } from "../receiver/wire.ts";

const GOOD = bytes(envelope());

async function serve(options: Partial<ServerOptions> = {}) {
  const opened = await openReceiver();
  const server = await startServer(opened.receiver, {
    port: 0,
    host: "127.0.0.1",
    path: "/webhooks",
    ...options,
  });
  onTestFinished(() => server.close());
  return { ...opened, server, ...posting(server.url) };
}

describe("startServer", () => {
  it("returns the endpoint's URL, including the port", async () => {
    const { server, post } = await serve({ path: "/in/deep" });
    expect(server.url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/in\/deep$/);
    expect((await post(GOOD)).status).toBe(200);
  });

  it("does not reveal that it uses Express", async () => {
    const { ask } = await serve();
    for (const target of ["/webhooks", "/other"]) {
      const { headers } = await ask({ target });
      expect(headers).not.toHaveProperty("x-powered-by");
      expect(headers).not.toHaveProperty("server");
    }
  });

  it("[case 46] allows the documented time for the head of a request", async () => {
    const { post } = await serve();
    const limits: number[] = [];
    const note = (message: unknown) => {
      limits.push((message as { readonly server: Server }).server.headersTimeout);
    };
    subscribe("http.server.request.start", note);
    onTestFinished(() => void unsubscribe("http.server.request.start", note));
    await post(GOOD);
    expect(limits).toEqual([HEAD_TIMEOUT]);
  });

  it("refuses a port that is in use, and a host that is not an address of this machine", async () => {
    const { server } = await serve();
    const refused = { code: "port_unavailable" };
    const port = Number(server.url.port);
    await expect(serve({ port })).rejects.toMatchObject(refused);
    await expect(serve({ host: "192.0.2.1" })).rejects.toMatchObject(refused);
  });

  it("finishes requests in progress when it is closed, and accepts no others", async () => {
    const { server } = await serve();
    const socket = await dial(server.url);
    const own = { "content-length": GOOD.length, connection: "close", expect: "100-continue" };
    const headers = { host: "x", ...signedHeaders(GOOD), ...own };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /webhooks HTTP/1.1\r\n${head.join("")}\r\n`);
    // `100 Continue`: the server has the request
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write(GOOD.subarray(0, 10));
    const closed = server.close();
    socket.write(GOOD.subarray(10));
    expect(splitAnswer(await readAll(socket)).status).toBe(200);
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  const asking = (parts: Record<string, string | number>) => {
    const headers = { host: "x", expect: "100-continue", connection: "close", ...parts };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return (target: string) => `POST ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
  };

  it.each([
    [413, "/webhooks", { ...signedHeaders(GOOD), "content-length": 2 ** 20 + 1 }],
    [404, "/other", { "content-length": 10 }],
    [401, "/webhooks", { "content-length": 10 }],
    [401, "/webhooks", { "content-length": 2 ** 20 + 1, "content-encoding": "gzip" }],
    [
      415,
      "/webhooks",
      { ...signedHeaders(GOOD), "content-length": 10, "content-encoding": "gzip" },
    ],
  ])(
    "answers %d at once to `Expect: 100-continue`, without asking for the body",
    async (status, target, parts) => {
      const { server, entries } = await serve();
      const socket = await dial(server.url);
      socket.write(asking(parts as unknown as Record<string, string>)(target));
      const raw = await readAll(socket);
      expect(raw.toString()).not.toContain("100 Continue");
      expect(splitAnswer(raw).status).toBe(status);
      expect(await entries()).toEqual([]);
    },
  );

  it("ends the longest idle connection to accept a new one, also for `Expect: 100-continue`", async () => {
    const { server, post } = await serve({ maxConnections: 2 });
    const asked = await dial(server.url);
    const idle = await dial(server.url);
    asked.write(asking({ ...signedHeaders(GOOD), "content-length": GOOD.length })("/webhooks"));
    await new Promise((resolve) => asked.once("data", resolve));
    const ended = readAll(idle);
    expect((await post(GOOD)).status).toBe(200);
    expect(await ended).toHaveLength(0);
    asked.write(GOOD);
    expect(splitAnswer(await readAll(asked)).status).toBe(200);
  });
});
