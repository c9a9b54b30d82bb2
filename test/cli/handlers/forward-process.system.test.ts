import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { startListening } from "../listening.ts";

const WAIT = { timeout: 30_000, interval: 20 };
const BURST = 8;

/** The user's app, which can be taken down and brought back on its port. */
function openApp() {
  const got = new Map<string, number>();
  let port = 0;
  let server: Server | undefined;
  const down = async () => {
    const closing = server;
    server = undefined;
    await new Promise<void>((resolve) => {
      if (closing === undefined) return resolve();
      closing.close(() => resolve());
      closing.closeAllConnections();
    });
  };
  const up = async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const whole = `${request.headers["x-service-signature"]} ${Buffer.concat(chunks).toString("utf8")}`;
      got.set(whole, (got.get(whole) ?? 0) + 1);
      response.end();
    });
    await new Promise<void>((resolve) => server?.listen(port, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  };
  onTestFinished(down);
  return { up, down, got, port: () => port };
}

/** The built `listen` in a folder, and a way to kill it. */
function startListen(cwd: string, port: number) {
  const listen = startListening(["--forward-to", `${port}/in`], { cwd });
  // Killed between attempts, it leaves no lease for which the next one would have to wait 15
  // seconds.
  const killBetweenAttempts = async () => {
    await vi.waitFor(async () => {
      const { records } = await runCli(["events", "list", "--json"], { cwd });
      const soon = new Date(Date.now() + 200).toISOString();
      const busy = records.filter(
        ({ state, runAt }) => state !== "handled" && String(runAt) < soon,
      );
      expect(busy).toEqual([]);
    }, WAIT);
    listen.child.kill("SIGKILL");
    await listen.ended;
  };
  const burst = async () => {
    const count = ["--count", `${BURST}`, "--set", "data.name=\u00e9\u2028"];
    expect((await listen.trigger("property.updated", ...count)).code).toBe(0);
  };
  return { ready: listen.ready, burst, killBetweenAttempts };
}

it("every acknowledged delivery reaches the app, byte for byte, although listen and app are killed and restarted", {
  timeout: 60_000,
}, async () => {
  const cwd = tempFolder();
  const app = openApp();
  await app.up();
  const first = startListen(cwd, app.port());
  await first.burst();
  await app.down();
  await first.burst();
  await first.killBetweenAttempts();

  const second = startListen(cwd, app.port());
  await second.burst();
  await second.killBetweenAttempts();
  await app.up();

  await startListen(cwd, app.port()).ready();
  await vi.waitFor(() => expect(app.got.size).toBe(3 * BURST), WAIT);
  const saved = await runCli(["events", "export", "--json"], { cwd });
  const acknowledged = saved.records.map(({ headers, body }) => {
    return `${(headers as Record<string, string>)["x-service-signature"]} ${body}`;
  });
  expect(new Set(app.got.keys())).toEqual(new Set(acknowledged));
});
