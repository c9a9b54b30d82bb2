import { expect, it, vi } from "vitest";
import { nowEnvelope } from "../../hostile/cli.ts";
import { openTarget } from "../../relay/sample.ts";
import { childrenOf, isAlive, shownOf } from "../../relay/tunnel/processes.ts";
import { listenThrough, openEdge, TOKEN } from "../listen-through-edge.ts";

const QUICK = { timeout: 10_000, interval: 10 };

it("deliveries are forwarded from the public address, byte for byte, and the address is printed", async () => {
  const edge = await openEdge();
  const target = await openTarget();
  const { ready, until, output } = listenThrough(edge, ["--forward-to", target.url.href]);
  const { publicUrl, post } = await ready();
  expect(publicUrl.origin).toBe(edge.urls[0]);
  const body = JSON.stringify(nowEnvelope(), null, 3);
  expect((await post(body)).status).toBe(200);
  await vi.waitFor(() => expect(target.got).toHaveLength(1), QUICK);
  expect(target.got[0]?.body.toString()).toBe(body);
  expect(await until("online")).toMatchObject([
    { name: "ngrok", url: publicUrl.href, previousUrl: null },
  ]);
  expect(output()).not.toContain(TOKEN);
});

it("--sync returns the target's response to the public sender; readiness is not visible from outside, and ends with the tunnel", async () => {
  const edge = await openEdge();
  const target = await openTarget((response) => void response.writeHead(202).end("taken"));
  const argv = ["--forward-to", target.url.href, "--sync", "--health-port", "0"];
  const { ready, records, until } = listenThrough(edge, argv);
  const { publicUrl, post, ask } = await ready();
  expect(await post(JSON.stringify(nowEnvelope()))).toMatchObject({ status: 202, text: "taken" });
  for (const path of ["/readyz", "/healthz"])
    expect(await ask({ method: "GET", target: path })).toMatchObject({ status: 404 });
  const health = String(records("ready")[0]?.health);
  expect(new URL(health).port).not.toBe(publicUrl.port);
  const answer = await fetch(new URL("/readyz", health));
  expect(await answer.json()).toMatchObject({ ready: true, checks: { tunnel: true } });
  await edge.stop();
  await until("reconnecting");
  const down = await fetch(new URL("/readyz", health));
  expect(down.status).toBe(503);
  expect(await down.json()).toMatchObject({ ready: false, checks: { tunnel: false, open: true } });
});

it.each([
  ["SIGINT", 0],
  ["SIGKILL", "SIGKILL"],
] as const)(
  "%s leaves no process and no session, and nobody else can have read the token",
  async (signal, end) => {
    const edge = await openEdge();
    const { ready, child, ended, records } = listenThrough(edge);
    await ready();
    const tunnels = childrenOf(child.pid);
    expect(tunnels).toHaveLength(1);
    expect(edge.auths).toMatchObject([{ Extra: { AuthToken: TOKEN } }]);
    expect(shownOf(tunnels[0] ?? 0)).toContain("tunnel-child");
    expect(shownOf(tunnels[0] ?? 0)).not.toContain(TOKEN);
    expect(shownOf(child.pid ?? 0).split("\n")[0]).not.toContain(TOKEN);
    child.kill(signal);
    expect(await ended).toBe(end);
    if (signal === "SIGINT") expect(records("tunnel").at(-1)).toMatchObject({ state: "closed" });
    await vi.waitFor(() => expect(tunnels.filter(isAlive)).toEqual([]), QUICK);
    await vi.waitFor(() => expect(edge.sessions).toBe(0), QUICK);
  },
);

it.each([
  ["SIGINT", 0],
  ["SIGKILL", "SIGKILL"],
] as const)(
  "%s during the start, while the edge does not answer, leaves no process",
  async (signal, end) => {
    const edge = await openEdge({ silent: true });
    const { until, child, ended, records } = listenThrough(edge);
    await until("starting");
    await vi.waitFor(() => expect(childrenOf(child.pid)).toHaveLength(1), QUICK);
    const tunnels = childrenOf(child.pid);
    child.kill(signal);
    expect(await ended).toBe(end);
    expect(records("ready")).toEqual([]);
    await vi.waitFor(() => expect(tunnels.filter(isAlive)).toEqual([]), QUICK);
    await vi.waitFor(() => expect(edge.connections).toBe(0), QUICK);
  },
);

it.each([
  ["refuseAuth", "ERR_NGROK_107"],
  ["refuseBind", "ERR_NGROK_320"],
])(
  "listen exits with 5, a code and a fix if the service refuses for good: %s",
  async (knob, code) => {
    const edge = await openEdge({ [knob]: code });
    const { ended, records, output } = listenThrough(edge, [
      "HOOKPORTER_DOMAIN=https://mine.example.com/",
    ]);
    expect(await ended).toBe(5);
    expect(records("tunnel").at(-1)).toMatchObject({
      state: "failed",
      code,
      fix: expect.any(String),
    });
    expect(records("error")).toMatchObject([
      { code: "tunnel_failed", message: expect.stringContaining(code) },
    ]);
    expect(records("ready")).toEqual([]);
    expect(output()).not.toContain(TOKEN);
    if (knob === "refuseBind")
      expect(edge.binds[0]).toMatchObject({ Opts: { Domain: "mine.example.com" } });
  },
);

it("listen exits with 6 if its time is up before the tunnel is online", async () => {
  const edge = await openEdge({ silent: true });
  const { ended, records } = listenThrough(edge, ["--count", "1", "--timeout", "500ms"]);
  expect(await ended).toBe(6);
  expect(records("ready")).toEqual([]);
});

it("an address that differs from the last run's is reported", async () => {
  const edge = await openEdge({ newUrls: true });
  const first = listenThrough(edge);
  const { publicUrl } = await first.ready();
  first.child.kill("SIGINT");
  await first.ended;
  const second = listenThrough(edge, [], first.cwd);
  const { publicUrl: changed } = await second.ready();
  expect(changed.href).not.toBe(publicUrl.href);
  expect(await second.until("online")).toMatchObject([
    { url: changed.href, previousUrl: publicUrl.href },
  ]);
});
