import { expect, it, onTestFinished } from "vitest";
import { startHealthServer } from "../../../src/cli/ready/health-server.ts";
import { Readiness } from "../../../src/cli/ready/readiness.ts";
import { send } from "../../receiver/wire.ts";

/** A health server whose single check can be switched; it ends with the test. */
async function open() {
  const readiness = new Readiness();
  const state: { holds: () => boolean | Promise<boolean> } = { holds: () => true };
  readiness.add({ name: "steady", holds: () => true });
  readiness.add({ name: "switched", holds: () => state.holds() });
  const server = await startHealthServer(0, { readiness });
  onTestFinished(() => server.close());
  const ask = (target: string, method = "GET", host?: string) =>
    send(server.url, { target, method, headers: host === undefined ? {} : { host } });
  return { state, ask, url: server.url };
}

it("/readyz says whether it is ready, and which check fails, throws or rejects; /healthz that the process lives", async () => {
  const { ask, state } = await open();
  const ready = await ask("/readyz");
  expect(ready).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  const names = Object.keys(ready.headers);
  expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]); // [case 83]
  expect(JSON.parse(ready.text)).toEqual({ ready: true, checks: { steady: true, switched: true } });
  for (const holds of [
    async () => false,
    () => Promise.reject(new Error("locked")),
    () => {
      throw new Error("broken");
    },
  ]) {
    state.holds = holds;
    const not = await ask("/readyz");
    expect(not.status).toBe(503);
    const checks = { steady: true, switched: false };
    expect(JSON.parse(not.text)).toEqual({ ready: false, checks });
  }
  expect(await ask("/healthz")).toMatchObject({ status: 200, text: '{"alive":true}' });
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

it("the names of this machine are accepted", async () => {
  const { ask } = await open();
  for (const host of ["localhost", "localhost:4401", "LOCALHOST", "127.0.0.1:9"])
    expect(await ask("/readyz", "GET", host), host).toMatchObject({ status: 200 });
});
