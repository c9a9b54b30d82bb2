import { createHash, randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { dial } from "../../receiver/wire.ts";
import { CHILD_FILE, openTunnel, TOKEN } from "./open-tunnel.ts";
import { isAlive } from "./processes.ts";

const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it("the tunnel is online once a probe has arrived, and the service gets the token and the domain but not the machine's name", async () => {
  const { edge, until, events } = await openTunnel({ settings: { domain: "fixed.example.com" } });
  const { url = "" } = await until("online");
  expect(await (await fetch(url)).text()).toBe("hello");
  expect(events.map(({ state }) => state)).toEqual(["starting", "online"]);
  expect(edge.auths).toMatchObject([{ Extra: { AuthToken: TOKEN } }]);
  const ForwardsTo = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(edge.binds).toMatchObject([{ ForwardsTo, Opts: { Domain: "fixed.example.com" } }]);
});

it("20 MB pass both ways, byte for byte", async () => {
  const sent = randomBytes(20 * 1024 * 1024);
  const { until } = await openTunnel({ app: (request, response) => void request.pipe(response) });
  const { url = "" } = await until("online");
  const answer = await fetch(url, { method: "POST", body: sent });
  expect(sha(Buffer.from(await answer.arrayBuffer()))).toBe(sha(sent));
});

it("300 simultaneous requests pass separately, and leave no stream open", async () => {
  const { until, edge } = await openTunnel({
    app: async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.setHeader("connection", "close");
      response.end(Buffer.concat([Buffer.from(String(request.url)), ...chunks]));
    },
  });
  const { url = "" } = await until("online");
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const answer = await fetch(`${url}/${index}`, { method: "POST", body: `body ${index}` });
      return answer.text();
    }),
  );
  expect(answers).toEqual(Array.from({ length: 300 }, (_, index) => `/${index}body ${index}`));
  await vi.waitFor(() => expect(edge.streams).toBeLessThan(4), 10_000);
});

it("senders and apps that disconnect or are slow leave no stream open", async () => {
  const large = randomBytes(4 * 1024 * 1024);
  const { until, edge } = await openTunnel({
    app: (request, response) => {
      if (request.url === "/slow") response.end(large);
      if (request.url === "/cut") {
        response.write("half of it");
        setImmediate(() => request.socket.resetAndDestroy());
      }
    },
  });
  const { url = "" } = await until("online");
  for (let sender = 0; sender < 20; sender++) {
    const socket = await dial(new URL(url));
    socket.write("GET /never HTTP/1.1\r\nhost: app.test\r\n\r\n", () => socket.resetAndDestroy());
  }
  const cut = Promise.all(
    Array.from({ length: 20 }, async () => {
      return fetch(`${url}/cut`)
        .then((answer) => answer.text())
        .catch(() => "cut");
    }),
  );
  const slow = await fetch(`${url}/slow`, { headers: { connection: "close" } });
  expect(new Set(await cut)).toEqual(new Set(["cut"]));
  expect(sha(Buffer.from(await slow.arrayBuffer()))).toBe(sha(large));
  await vi.waitFor(() => expect(edge.streams).toBeLessThan(4), 10_000);
});

it("an address that is dead while its session lives is noticed, and replaced by a new one", async () => {
  const { edge, until, children } = await openTunnel({
    knobs: { newUrls: true },
    timing: { probeEvery: 300, doubt: 500 },
  });
  const first = await until("online");
  edge.setDead(true);
  const doubted = await until("reconnecting", first);
  expect(doubted.failure).toMatchObject({
    code: "tunnel_unreachable",
    message: expect.stringContaining("it answers 404, but from another server (ERR_NGROK_3200)"),
  });
  expect(edge.sessions).toBe(1);
  const again = await until("online", doubted);
  expect(again).toMatchObject({
    previousUrl: first.url,
    url: expect.not.stringMatching(`^${first.url}$`),
  });
  expect(children).toHaveLength(2);
});

it("an address that is dead for a moment is online again without a restart, and so is a dropped connection, with the same address", async () => {
  const { edge, until, children } = await openTunnel({
    knobs: { newUrls: true },
    timing: { probeEvery: 200 },
  });
  const first = await until("online");
  edge.setDead(true);
  const doubted = await until("reconnecting", first);
  edge.setDead(false);
  const back = await until("online", doubted);
  edge.drop();
  const lost = await until("reconnecting", back);
  expect(lost.failure).toMatchObject({ code: "tunnel_lost" });
  for (const again of [back, await until("online", lost)])
    expect(again).toMatchObject({ url: first.url, previousUrl: undefined });
  expect(children).toHaveLength(1);
});

it("the client is restarted if its own retries take too long, and the new address is reported", async () => {
  const { edge, until, children } = await openTunnel({
    knobs: { newUrls: true },
    timing: { grace: 1000 },
  });
  const first = await until("online");
  await edge.stop();
  const restarting = await until("restarting", first);
  expect(restarting.failure).toMatchObject({ code: "tunnel_lost" });
  await edge.start();
  const again = await until("online", restarting); // the client alone would wait for minutes
  expect(again).toMatchObject({
    previousUrl: first.url,
    url: expect.not.stringMatching(`^${first.url}$`),
  });
  expect(children.slice(0, -1).filter(({ pid }) => isAlive(pid))).toEqual([]);
});

it("an edge that never responds is not waited for for ever, and a tunnel that was never online is given up", async () => {
  const silent = { silent: true };
  const { until, children, edge } = await openTunnel({ knobs: silent, timing: { start: 2000 } });
  const restarting = await until("restarting");
  expect(restarting.failure).toMatchObject({ code: "tunnel_silent", permanent: false });
  edge.knobs.silent = false;
  await until("online");
  expect(children.slice(0, -1).filter(({ pid }) => isAlive(pid))).toEqual([]);
  const over = await openTunnel({ knobs: silent, timing: { start: 200, patience: 2000 } });
  expect((await over.until("failed")).failure).toMatchObject({ code: "tunnel_silent" });
  expect(over.children.length).toBeGreaterThan(1);
  expect(over.children.filter(({ pid }) => isAlive(pid))).toEqual([]);
});

it("a restart that waits begins as soon as the edge can be reached again", {
  timeout: 30_000,
}, async () => {
  let stopped: number | undefined; // a clock that stands still ends no pause
  const looks: boolean[] = [];
  const { edge, until, children } = await openTunnel({
    timing: { grace: 0 },
    clock: () => stopped ?? performance.now(),
    onLook: (reached) => {
      stopped ??= performance.now();
      looks.push(reached);
    },
  });
  const first = await until("online");
  await edge.stop();
  await vi.waitFor(() => expect(looks.length).toBeGreaterThan(2), { timeout: 10_000 });
  expect([new Set(looks), children.length]).toEqual([new Set([false]), 1]);
  await edge.start();
  await vi.waitFor(() => expect(children).toHaveLength(2), { timeout: 10_000 });
  stopped = undefined;
  expect(looks.at(-1)).toBe(true);
  await until("online", first);
});

it("missing heartbeats are noticed, and a new session is opened", async () => {
  const { edge, until, children } = await openTunnel({ settings: { heartbeat: 1 } });
  const first = await until("online");
  edge.knobs.loseHeartbeats = true;
  const restarting = await until("restarting", first);
  expect(restarting.failure).toMatchObject({ code: "ngrok_heartbeat_lost" });
  edge.knobs.loseHeartbeats = false;
  await until("online", restarting);
  expect(children).toHaveLength(2);
});

it.each([
  ["refuseAuth", "ERR_NGROK_105"],
  ["refuseAuth", "ERR_NGROK_106"],
  ["refuseAuth", "ERR_NGROK_107"],
  ["refuseAuth", "ERR_NGROK_4018"],
  ["refuseBind", "ERR_NGROK_320"],
])("a refused token or domain fails at once and for good: %s %s", async (knob, code) => {
  const { until, events, states, children } = await openTunnel({ knobs: { [knob]: code } });
  expect((await until("failed")).failure).toMatchObject({ code, permanent: true });
  expect(JSON.stringify(events)).not.toContain(TOKEN); // the service quotes it
  expect(states()).toEqual(["starting", "failed"]);
  expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
});

it.each(["ERR_NGROK_108", "ERR_NGROK_334"])(
  "a previous session that has not ended is waited for and reported: %s",
  async (code) => {
    const { edge, until } = await openTunnel({ knobs: { refuseBind: code } });
    const restarting = await until("restarting");
    expect(restarting.failure).toMatchObject({ code, permanent: false });
    edge.knobs.refuseBind = undefined;
    await until("online", restarting);
  },
);

it("an unknown code is reported with the service's message, without the token", async () => {
  const { until } = await openTunnel({
    knobs: { refuseAuth: "ERR_NGROK_9999", words: `not ${TOKEN}` },
  });
  const { failure } = await until("restarting");
  expect(failure).toMatchObject({ code: "ERR_NGROK_9999", permanent: false });
  expect(JSON.stringify(failure)).not.toContain(TOKEN);
});

it("an agent stopped from the dashboard fails, and so does one whose token is revoked, once its session is lost", async () => {
  const stopped = await openTunnel();
  const first = await stopped.until("online");
  stopped.edge.sendStop();
  const { failure } = await stopped.until("failed", first);
  expect(failure).toMatchObject({ code: "ngrok_stopped" });
  const { edge, until } = await openTunnel({ timing: { grace: 500 } });
  const online = await until("online");
  edge.knobs.refuseAuth = "ERR_NGROK_107";
  edge.drop();
  expect((await until("failed", online)).failure).toMatchObject({ code: "ERR_NGROK_107" });
});

it("a missing client is reported with how to install it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-alone-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const filter = (path: string) => !path.endsWith("types");
  cpSync(dirname(CHILD_FILE), folder, { recursive: true, filter });
  const cwd = process.cwd();
  process.chdir(folder); // the client is looked for in the working folder, too
  onTestFinished(() => process.chdir(cwd));
  const { until, states } = await openTunnel({ file: join(folder, basename(CHILD_FILE)) });
  expect((await until("failed")).failure).toMatchObject({ code: "ngrok_missing", permanent: true });
  expect(states()).toEqual(["starting", "failed"]);
});
