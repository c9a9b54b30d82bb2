import { expect, it, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { startReceiving, startReceivingAt } from "../fake-target.ts";
import { startListening } from "../listening.ts";

const WAIT = { timeout: 30_000, interval: 20 };
const BURST = 8;

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
  const app = await startReceiving();
  const first = startListen(cwd, app.port);
  await first.burst();
  await app.close();
  await first.burst();
  await first.killBetweenAttempts();

  const second = startListen(cwd, app.port);
  await second.burst();
  await second.killBetweenAttempts();
  const again = await startReceivingAt(app.port);

  await startListen(cwd, app.port).ready();
  const got = () =>
    new Set([...app.got, ...again.got].map(({ signature, body }) => `${signature} ${body}`));
  await vi.waitFor(() => expect(got().size).toBe(3 * BURST), WAIT);
  const saved = await runCli(["events", "export", "--json"], { cwd });
  const acknowledged = saved.records.map(({ headers, body }) => {
    return `${(headers as Record<string, string>)["x-service-signature"]} ${body}`;
  });
  expect(got()).toEqual(new Set(acknowledged));
});
