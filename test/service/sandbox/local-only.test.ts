import { expect, it } from "vitest";
import { isAllowedTarget, isHostPattern } from "../../../src/service/sandbox/local-only.ts";
import { dial, readAll, splitAnswer } from "../../receiver/wire.ts";
import { expectInvalid, json, openSandbox, SECRET } from "./open.ts";

it.each([
  ["a foreign name", { host: "rebound.example:80" }],
  ["this machine without its port", { host: "127.0.0.1" }],
  ["another port", { host: "localhost:1" }],
  ["no name", { host: "" }],
])("every route answers 403 to a request for %s", async (_, headers) => {
  const { ask, sandbox } = await openSandbox();
  for (const path of ["/v1/properties", "/_sandbox/deliveries", "/nothing"]) {
    expect((await ask(path, { headers })).status).toBe(403);
  }
  const reply = await ask("/_sandbox/properties", { headers, body: {} });
  expect(reply.status).toBe(403);
  expect(json(reply)).toEqual({ error: { type: "forbidden", message: expect.any(String) } });
  expect(sandbox.deliveries).toEqual([]);
});

it("web pages get 403, even from its own origin, and no CORS permission", async () => {
  const { ask, sandbox } = await openSandbox();
  for (const origin of ["https://evil.example", "null", sandbox.url.origin]) {
    const reply = await ask("/_sandbox/failures", { headers: { origin }, body: {} });
    expect(reply.status).toBe(403);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  }
  expect((await ask("/v1/properties")).status).toBe(200);
});

it("the sandbox listens only on 127.0.0.1, and both names of this machine are accepted", async () => {
  const { ask, sandbox } = await openSandbox();
  const { hostname, port } = sandbox.url;
  expect(hostname).toBe("127.0.0.1");
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`])
    expect((await ask("/v1/properties", { headers: { host } })).status).toBe(200);
});

it.each([
  "http://169.254.169.254/latest/meta-data",
  "http://10.0.0.1/webhooks",
  "https://example.com/webhooks",
  "http://127.0.0.1.example.com/webhooks",
  "http://localhost.example/webhooks",
  "http://0.0.0.0/webhooks",
  "http://[::]/webhooks",
  "http://[fe80::1]/webhooks",
])("deliveries to %s are refused", async (url) => {
  const { ask, sandbox } = await openSandbox();
  const body = { url, events: ["lead.created"], secret: SECRET };
  expectInvalid(await ask("/v1/webhooks", { body }), "url");
  expect(sandbox.subscriptions).toEqual([]);
});

it("a subscription that leads back to the sandbox is refused, under any name of this machine", async () => {
  const { ask, sandbox } = await openSandbox({ targetHosts: ["*"] });
  for (const host of ["127.0.0.1", "localhost", "[::1]", "127.1.2.3"]) {
    const url = `http://${host}:${sandbox.url.port}/_sandbox/events`;
    const body = { url, events: ["lead.created"] };
    expect((await ask("/v1/webhooks", { body })).status, host).toBe(400);
  }
});

it("an allowed host is accepted, and no other", async () => {
  const { ask } = await openSandbox({ targetHosts: ["*.tunnel.example", "app.example"] });
  const status = async (url: string) =>
    (await ask("/v1/webhooks", { body: { url, events: ["lead.created"] } })).status;
  expect(await status("https://abc.tunnel.example/webhooks")).toBe(200);
  expect(await status("https://APP.example/webhooks")).toBe(200);
  expect(await status("https://tunnel.example/webhooks")).toBe(400);
  expect(await status("https://eviltunnel.example/webhooks")).toBe(400);
  expect(await status("https://sub.app.example/webhooks")).toBe(400);
  expect(isAllowedTarget(new URL("http://10.0.0.1"), ["*"])).toBe(true);
  expect(["*", "*.a.b", "a.b", "[::1]"].every(isHostPattern)).toBe(true);
  expect(["", "http://a", "a/b", "*a", "a.*", "**", 5].some(isHostPattern)).toBe(false);
});

it("redirects to hosts that are not allowed are not followed", async () => {
  const { openTarget } = await import("../../relay/sample.ts");
  const elsewhere = await openTarget();
  const target = await openTarget((response) => {
    response.writeHead(302, { location: elsewhere.url.href }).end();
  });
  const { sandbox, subscribe, settled } = await openSandbox({ retry: { attempts: 1 } });
  await subscribe(target.url, ["lead.created"]);
  sandbox.emit("lead.created");
  expect(await settled()).toMatchObject([{ state: "failed", attempts: [{ status: 302 }] }]);
  expect(elsewhere.got).toEqual([]);
});

it("a request to upgrade to another protocol is refused with a reason", async () => {
  const { sandbox } = await openSandbox();
  const socket = await dial(sandbox.url);
  const head = [
    "GET /v1/properties HTTP/1.1",
    `Host: ${sandbox.url.host}`,
    "Connection: Upgrade",
    "Upgrade: h2c",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const { status, body } = splitAnswer(await readAll(socket));
  expect([status, JSON.parse(String(body)).error.type]).toEqual([400, "invalid_request"]);
});
