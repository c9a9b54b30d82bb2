import { expect, it } from "vitest";
import { isAllowedTarget, isHostPattern } from "../../src/sandbox/target-hosts.ts";
import { dial, readAll, splitAnswer } from "../receiver/wire.ts";
import { json, openSandbox, SECRET } from "./open.ts";

it.each([
  ["a foreign name", { host: "rebound.example:80" }],
  ["this machine without its port", { host: "127.0.0.1" }],
  ["another port", { host: "localhost:1" }],
  ["no name", { host: "" }],
])("answers 403 on every route to a request for %s", async (_, headers) => {
  const { ask, sandbox } = await openSandbox();
  for (const path of ["/v1/properties", "/_sandbox/deliveries", "/nothing"]) {
    expect((await ask(path, { headers })).status).toBe(403);
  }
  const reply = await ask("/_sandbox/properties", { headers, body: {} });
  expect(reply.status).toBe(403);
  expect(json(reply)).toEqual({ error: { type: "forbidden", message: expect.any(String) } });
  expect(sandbox.deliveries).toEqual([]);
});

it("answers 403 to web pages, its own origin included, and gives no permission to any", async () => {
  const { ask, sandbox } = await openSandbox();
  for (const origin of ["https://evil.example", "null", sandbox.url.origin]) {
    const reply = await ask("/_sandbox/failures", { headers: { origin }, body: {} });
    expect(reply.status).toBe(403);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
  expect((await ask("/v1/properties")).status).toBe(200);
});

it("takes this machine by both of its names", async () => {
  const { ask, sandbox } = await openSandbox();
  const { port } = sandbox.url;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`]) {
    expect((await ask("/v1/properties", { headers: { host } })).status).toBe(200);
  }
});

it("listens on 127.0.0.1 alone", async () => {
  const { sandbox } = await openSandbox();
  expect(sandbox.url.hostname).toBe("127.0.0.1");
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
])("refuses to deliver to %s", async (url) => {
  const { ask, sandbox } = await openSandbox();
  const reply = await ask("/v1/webhooks", { body: { url, events: ["lead.created"], secret: SECRET } });
  expect(reply.status).toBe(400);
  expect(json(reply)).toMatchObject({ error: { type: "invalid_request", field: "url" } });
  expect(sandbox.subscriptions).toEqual([]);
});

it("refuses a subscription that leads back to itself, under any name of this machine", async () => {
  const { ask, sandbox } = await openSandbox({ targetHosts: ["*"] });
  for (const host of ["127.0.0.1", "localhost", "[::1]", "127.1.2.3"]) {
    const url = `http://${host}:${sandbox.url.port}/_sandbox/events`;
    expect((await ask("/v1/webhooks", { body: { url, events: ["lead.created"] } })).status, host).toBe(400);
  }
});

it("takes a host that was allowed explicitly, and no other", async () => {
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

it("follows no redirect to where it may not deliver", async () => {
  const { openTarget } = await import("../relay/sample.ts");
  const elsewhere = await openTarget();
  const target = await openTarget((response) => {
    response.writeHead(302, { location: elsewhere.url.href }).end();
  });
  const { sandbox, subscribe, settled } = await openSandbox({ retry: [] });
  await subscribe(target.url, ["lead.created"]);
  sandbox.emit("lead.created");
  expect(await settled()).toMatchObject([{ state: "failed", attempts: [{ status: 302 }] }]);
  expect(elsewhere.got).toEqual([]);
});

it("says so to a request that wants to upgrade to something else", async () => {
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
