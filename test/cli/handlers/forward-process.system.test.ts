import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";

const bin = join(import.meta.dirname, "..", "..", "..", "dist", "bin.js");
const env = { PATH: process.env.PATH ?? "", HOOKPORTER_SECRET: "a secret that is long enough" };
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

/** Starts the built `listen` in a folder; returns its address and a way to kill it. */
async function startListen(cwd: string, port: number) {
  const argv = ["listen", "--port", "0", "--json", "--forward-to", `${port}/in`];
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  const ready = /"type":"ready".*?"url":"([^"]+)"/;
  const url = await vi.waitFor(() => {
    const found = ready.exec(stdout)?.[1];
    if (found === undefined) throw new Error("not ready");
    return found;
  }, WAIT);
  const kill = () =>
    new Promise<void>((resolve) => {
      child.once("close", () => resolve()).kill("SIGKILL");
    });
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
    await kill();
  };
  return { url, killBetweenAttempts };
}

it("every acknowledged delivery reaches the app, byte for byte, although listen and app are killed and restarted", {
  timeout: 60_000,
}, async () => {
  const cwd = tempFolder();
  const app = openApp();
  await app.up();
  const burst = (url: string) => {
    const count = ["--count", `${BURST}`, "--set", "data.name=\u00e9\u2028"];
    return runCli(["trigger", "property.updated", ...count, "--url", url], { cwd, env });
  };
  const first = await startListen(cwd, app.port());
  expect((await burst(first.url)).code).toBe(0);
  await app.down();
  expect((await burst(first.url)).code).toBe(0);
  await first.killBetweenAttempts();

  const second = await startListen(cwd, app.port());
  expect((await burst(second.url)).code).toBe(0);
  await second.killBetweenAttempts();
  await app.up();

  await startListen(cwd, app.port());
  await vi.waitFor(() => expect(app.got.size).toBe(3 * BURST), WAIT);
  const saved = await runCli(["events", "export", "--json"], { cwd });
  const acknowledged = saved.records.map(({ headers, body }) => {
    return `${(headers as Record<string, string>)["x-service-signature"]} ${body}`;
  });
  expect(new Set(app.got.keys())).toEqual(new Set(acknowledged));
});
