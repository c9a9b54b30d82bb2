import { request as ask } from "node:http";
import { expect, it, vi } from "vitest";
import { listenThrough, openEdge } from "../cli/listen-through-edge.ts";
import { signedHeaders } from "../receiver/sample.ts";
import { dial, readAll, send, splitAnswer } from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { nowEnvelope } from "./cli.ts";

const PAGES = ["/", "/inspector", "/inspect", "/admin", "/ui", "/index.html", "/metrics"];
const ROUTES = ["/healthz", "/readyz", "/ready", "/api", "/api/events", "/events", "/events/1"];
const OTHERS = ["/replay", "/retry", "/sandbox", "/v1/properties", "/.hookporter/secret", "/.env"];
const PATHS = ["/../.env", "/webhooks/..", "/webhooks/../healthz", "//webhooks", "/WEBHOOKS"];
const ODD = ["/webhooks%2f..", "/%77ebhooks", "/?probe=", "/?probe=x.y", "*"];
const PRIVATE = [...PAGES, ...ROUTES, ...OTHERS, ...PATHS, ...ODD];

it(caseTitle(85), async () => {
  const edge = await openEdge();
  const { ready, records } = listenThrough(edge);
  const { publicUrl, localUrl, post } = await ready();
  const body = Buffer.from(JSON.stringify(nowEnvelope()));
  // A signature opens nothing but the endpoint, and neither does the name of this machine.
  const headers = {
    ...signedHeaders(body),
    host: localUrl.host,
    "x-forwarded-host": localUrl.host,
  };
  const requests = PRIVATE.flatMap((path) => [path, `${localUrl.origin}${path}`]).flatMap(
    (target) => [
      { target, headers, method: "POST", body },
      ...["GET", "DELETE", "OPTIONS"].map((method) => ({ target, headers, method })),
    ],
  );
  const answers = await Promise.all(
    requests.map(async (request) => {
      const { status, text } = await send(publicUrl, request);
      return { method: request.method, target: request.target, status, text };
    }),
  );
  expect(
    answers.filter(({ status, text }) => status !== 404 || !text.includes('"not_found"')),
  ).toEqual([]);
  // The tunnel leads to a separate listener, so other local servers are never reachable through it.
  expect(JSON.stringify(edge.binds)).not.toContain(`:${localUrl.port}`);
  expect((await send(publicUrl, { method: "GET" })).status).toBe(405);
  expect(await connectTo(publicUrl, localUrl.host)).not.toBe(200);
  expect(await upgrade(publicUrl)).toBe(404);
  expect((await post(nowEnvelope())).status).toBe(200);
  expect(records("delivery").filter(({ verdict }) => verdict === "accepted")).toHaveLength(1);
});

/** The status of a CONNECT request to another port, or 0 if there is none. */
async function connectTo(url: URL, host: string): Promise<number> {
  const socket = await dial(url);
  socket.end(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return splitAnswer(await readAll(socket)).status || 0;
}

/** The status of a WebSocket upgrade request at another path. */
function upgrade(url: URL): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const request = ask(new URL("/events", url), { headers, agent: false });
    request.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
    request.on("upgrade", (response) => resolve(response.statusCode)).end();
  });
}

it(caseTitle(88), async () => {
  const edge = await openEdge();
  const { ready, records, output } = listenThrough(edge);
  const { publicUrl, ask: send } = await ready();
  const body = Buffer.from(JSON.stringify(nowEnvelope()));
  const headers = signedHeaders(body, "another sender's secret, 0123456789");
  for (const request of [{ body }, { body, headers }])
    expect((await send(request)).status).toBe(401);
  // shown when it has been diagnosed
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(2));
  expect((await send({ method: "GET", target: `${publicUrl.pathname}?probe=` })).status).toBe(405);
  expect(records("delivery").map(({ verdict, seq }) => [verdict, seq])).toEqual([
    ["unauthorized", null],
    ["unauthorized", null],
    ["refused", null],
  ]);
  expect(output()).toMatch(/third party/);
  expect(output()).toMatch(/anyone can send/);
});

it(caseTitle(84, "messages from a tunnel service"), async () => {
  const words = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202egnp.exe\r\b";
  const edge = await openEdge({ refuseBind: "ERR_NGROK_9999", words });
  const { until, output } = listenThrough(edge);
  await until("restarting");
  expect(output()).toContain("\\u001b[2J"); // shown, not swallowed
  expect(output()).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
});
