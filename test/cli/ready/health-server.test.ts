import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { startHealthServer } from "../../../src/cli/ready/health-server.ts";
import { Readiness } from "../../../src/cli/ready/readiness.ts";

/** A health server whose single check can be switched; it ends with the test. */
async function open() {
  const readiness = new Readiness();
  const state: { holds: () => boolean | Promise<boolean> } = { holds: () => true };
  readiness.add({ name: "steady", holds: () => true });
  readiness.add({ name: "switched", holds: () => state.holds() });
  const server = await startHealthServer(0, { readiness });
  onTestFinished(() => server.close());
  return {
    state,
    ask: (path: string, method = "GET", host?: string) => ask(server.url, { path, method, host }),
  };
}

/** By `node:http`: `fetch` writes the Host header itself. */
function ask(
  url: URL,
  { path, method, host }: { path: string; method: string; host: string | undefined },
) {
  return new Promise<{ status: number | undefined; headers: object; text: string }>(
    (resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      const asking = request({
        host: url.hostname,
        port: url.port,
        path,
        method,
        headers,
        agent: false,
      });
      asking.on("error", reject).on("response", (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += String(chunk);
        });
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, text }),
        );
      });
      asking.end();
    },
  );
}

it("/healthz answers 200 even if the process is not ready", async () => {
  const { ask, state } = await open();
  state.holds = () => false;
  expect(await ask("/healthz")).toMatchObject({ status: 200, text: '{"alive":true}' });
});

it("/readyz says whether it is ready, and which check fails", async () => {
  const { ask, state } = await open();
  const ready = await ask("/readyz");
  expect(ready).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(JSON.parse(ready.text)).toEqual({ ready: true, checks: { steady: true, switched: true } });
  state.holds = async () => false;
  const not = await ask("/readyz");
  expect(not.status).toBe(503);
  expect(JSON.parse(not.text)).toEqual({ ready: false, checks: { steady: true, switched: false } });
});

it("a check that throws or rejects counts as failed", async () => {
  const { ask, state } = await open();
  state.holds = () => Promise.reject(new Error("locked"));
  expect(await ask("/readyz")).toMatchObject({ status: 503 });
  state.holds = () => {
    throw new Error("broken");
  };
  expect(await ask("/readyz")).toMatchObject({ status: 503 });
});

it.each([
  ["GET", "/", 404],
  ["POST", "/webhooks", 404],
  ["GET", "/readyz?x", 404],
  ["GET", "//readyz", 404],
  ["POST", "/readyz", 405],
  ["DELETE", "/healthz", 405],
  ["HEAD", "/readyz", 200],
])("%s %s is answered with %d", async (method, path, status) => {
  const { ask } = await open();
  const answer = await ask(path, method);
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers).toMatchObject({ allow: "GET, HEAD" });
  if (method === "HEAD") expect(answer.text).toBe("");
});

it.each(["evil.test", "127.0.0.1.evil.test", "localhost.evil.test:80", "[::1]"])(
  "[case 81] the Host %j is refused on every path and method",
  async (host) => {
    const { ask } = await open();
    for (const [path, method] of [["/healthz"], ["/readyz"], ["/"], ["/readyz", "POST"]] as const)
      expect(await ask(path, method, host)).toMatchObject({ status: 403 });
  },
);

it.each(["localhost", "localhost:4401", "LOCALHOST", "127.0.0.1:9"])(
  "the name %s is accepted",
  async (host) => {
    const { ask } = await open();
    expect(await ask("/readyz", "GET", host)).toMatchObject({ status: 200 });
  },
);

it("[case 83] no other origin may read it", async () => {
  const { ask } = await open();
  const { headers } = await ask("/readyz");
  expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

it("a taken port is reported", async () => {
  const { url, close } = await startHealthServer(0, { readiness: new Readiness() });
  onTestFinished(close);
  await expect(
    startHealthServer(Number(url.port), { readiness: new Readiness() }),
  ).rejects.toMatchObject({
    code: "port_unavailable",
  });
});
