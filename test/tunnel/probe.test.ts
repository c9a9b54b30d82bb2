import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ProbeKey } from "../../src/tunnel/probe.ts";

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

it("a probe arrives at an address that leads here", async () => {
  const { url, asked } = await openAddress(answering(key));
  expect(await key.probe(url, 5000)).toEqual({ ok: true });
  expect(asked[0]?.headers).toMatchObject({ "ngrok-skip-browser-warning": "1" });
  expect(asked[0]?.headers["user-agent"]).not.toMatch(/Mozilla/);
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

it.each<[string, Record<string, string>, number, string]>([
  ["its status", {}, 404, "it answers 404, but from another server"],
  [
    "the name it gives itself",
    { server: "nginx/1.2" },
    200,
    "it answers 200, but from another server (nginx/1.2)",
  ],
  [
    "where it redirects to, without the path",
    { location: "https://login.example/path?token=secret" },
    302,
    "it answers 302 (a redirect to https://login.example), but from another server",
  ],
  [
    "the code of ngrok",
    { "ngrok-error-code": "ERR_NGROK_3200", server: "x" },
    404,
    "it answers 404, but from another server (ERR_NGROK_3200)",
  ],
])("the reason says what answers there: %s", async (_, headers, status, reason) => {
  const { url } = await openAddress(
    (_request, response) => void response.writeHead(status, headers).end(),
  );
  expect(await key.probe(url, 5000)).toEqual({ ok: false, reason });
});

it("a time limit may be a fraction, since clocks do not tick in whole milliseconds", async () => {
  const { url } = await openAddress(answering(key));
  expect(await key.probe(url, 4027.771)).toEqual({ ok: true });
});

it.each<[string, RequestListener]>([
  ["answers", () => {}],
  ["ends its answer", (_, response) => void response.write("x")],
])("a server that never %s is not waited for for ever", async (_, listener) => {
  const { url } = await openAddress(listener);
  expect(await key.probe(url, 200)).toEqual({
    ok: false,
    reason: "no answer in time",
    timedOut: true,
  });
});

it("an invalid address is reported", async () => {
  expect(await key.probe("", 5000)).toMatchObject({ ok: false });
  expect(await key.probe("http://127.0.0.1:1", 5000)).toMatchObject({ ok: false });
});

it.each(["/webhooks", "/webhooks?probe=", "/webhooks?probe=.x", "/", ""])(
  "%j is not a probe",
  (target) => {
    expect(key.answer(target)).toBeUndefined();
  },
);
