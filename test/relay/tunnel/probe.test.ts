import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ProbeKey } from "../../../src/relay/tunnel/probe.ts";

/** A local public address, and the requests it got. */
async function openAddress(listener: RequestListener) {
  const asked: { target: string; headers: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    asked.push({ target: request.url ?? "", headers: request.headers });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const key = new ProbeKey("/webhooks");
const answering =
  (of: ProbeKey): RequestListener =>
  (request, response) => {
    const answer = of.answer(request.url ?? "");
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? "nobody");
  };

it("a probe arrives at an address that leads here, also within a fraction of a millisecond, as clocks tick", async () => {
  const { url, asked } = await openAddress(answering(key));
  expect(await key.probe(url, 4027.771)).toEqual({ ok: true });
  expect(asked[0]?.headers).toMatchObject({ "ngrok-skip-browser-warning": "1" });
  expect(asked[0]?.headers["user-agent"]).not.toMatch(/Mozilla/);
  for (const invalid of ["", "http://127.0.0.1:1"])
    expect(await key.probe(invalid, 5000)).toMatchObject({ ok: false });
});

it("a probe arrives through a proxy that maps another path to the endpoint", async () => {
  const { url } = await openAddress((request, response) => {
    expect(request.url).toMatch(/^\/hooks\/in\?/);
    request.url = request.url?.replace("/hooks/in", "/webhooks");
    answering(key)(request, response);
  });
  expect(await key.probe(`${url}/hooks/in`, 5000)).toEqual({ ok: true });
});

it("a probe takes the route of deliveries, with a part that is new each time and 128 secret bits", async () => {
  const { url, asked } = await openAddress(answering(key));
  await key.probe(url, 5000);
  await key.probe(url, 5000);
  const [first = "", second = ""] = asked.map(({ target }) => target);
  expect(first).toMatch(/^\/webhooks\?probe=[\w-]{32}\.[\w-]{22}$/);
  expect(first).not.toBe(second);
  expect(key.answer(first)).not.toBe(key.answer(second));
  expect(first.split(".")[0]).toBe(second.split(".")[0]);
});

it.each<[string, RequestListener]>([
  ["another process of ours", answering(new ProbeKey("/webhooks"))],
  ["a page of the relay's own", (_, response) => void response.end("<html>Visit site?</html>")],
  [
    "a redirect",
    (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
  ],
  ["an answer without an end", (_, response) => void response.write("x".repeat(100_000))],
  ["an echo", (request, response) => void response.end(request.url)],
  ["a connection that is cut", (request) => void request.socket.destroy()],
])("%s is distinguished from this one", async (_, listener) => {
  const { url } = await openAddress(listener);
  expect(await key.probe(url, 5000)).toMatchObject({ ok: false, reason: expect.any(String) });
});

it.each<[Record<string, string>, string]>([
  [{}, "404, but from another server"],
  [{ server: "nginx/1.2" }, "404, but from another server (nginx/1.2)"],
  [
    { location: "https://login.example/path?token=secret" },
    "404 (a redirect to https://login.example), but from another server",
  ],
  [
    { "ngrok-error-code": "ERR_NGROK_3200", server: "x" },
    "404, but from another server (ERR_NGROK_3200)",
  ],
])("the reason says what answers there: %j", async (headers, words) => {
  const { url } = await openAddress((_, response) => void response.writeHead(404, headers).end());
  expect(await key.probe(url, 5000)).toEqual({ ok: false, reason: `it answers ${words}` });
});

it("a server that never answers, or never ends its answer, is not waited for for ever", async () => {
  const late = { ok: false, reason: "no answer in time", timedOut: true };
  for (const listener of [
    () => {},
    (_: unknown, response: ServerResponse) => response.write("x"),
  ]) {
    const { url } = await openAddress(listener);
    expect(await key.probe(url, 200)).toEqual(late);
  }
});

it("other targets are no probes", () => {
  for (const target of ["/webhooks", "/webhooks?probe=", "/webhooks?probe=.x", "/", ""])
    expect(key.answer(target), target).toBeUndefined();
});
