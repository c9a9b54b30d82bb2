import { existsSync, readFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { nowEnvelope, startListen } from "../../hostile/cli.ts";
import { posting } from "../../receiver/open.ts";
import { tempFolder } from "../fake-io.ts";

const PATIENCE = { timeout: 10_000, interval: 10 };

/**
 * A proxy in front of a machine: it maps one path to another, and answers 404 to everything else.
 */
async function openProxy(path: string) {
  const behind: { url?: URL } = {};
  const server = createServer((request, response) => {
    const { url: target = "", method, headers } = request;
    const [asked, query = ""] = target.split("?");
    if (asked !== path || behind.url === undefined) return void response.writeHead(404).end();
    const to = new URL(behind.url);
    to.search = query;
    const onward = forward(to, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => void response.writeHead(502).end());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, behind };
}

it.each([
  ["/webhooks", ""],
  ["/hooks/in", "/hooks/in"],
])(
  "listen is ready once an address that the user maintains leads to it: %s",
  async (path, given) => {
    const { origin, behind } = await openProxy(path);
    const { url, now } = await startListen(["--json", "--public-url", `${origin}${given}`]);
    const records = (type: string) => now().records.filter((record) => record.type === type);
    // What answers there is reported at the first probe.
    await vi.waitFor(() => expect(records("tunnel")).toHaveLength(2), PATIENCE);
    expect(records("ready")).toEqual([]);
    behind.url = url;
    await vi.waitFor(() => expect(records("ready")).toHaveLength(1), PATIENCE);
    expect(records("ready")).toMatchObject([{ publicUrl: origin + path }]);
    expect(records("tunnel")).toMatchObject([
      { name: "public-url", state: "starting", url: null, code: null },
      {
        name: "public-url",
        state: "starting",
        code: "tunnel_unreachable",
        message: expect.stringContaining("it answers 404, but from another server"),
      },
      { name: "public-url", state: "online", url: origin + path, previousUrl: null },
    ]);
    expect((await posting(new URL(origin + path)).post(nowEnvelope())).status).toBe(200);
    expect(records("delivery")).toHaveLength(1); // probes are not deliveries
  },
);

it("neither the ready file nor /readyz reports ready before the address leads here", async () => {
  const { origin, behind } = await openProxy("/webhooks");
  const file = join(tempFolder(), "ready.json");
  const argv = ["--json", "--public-url", origin, "--ready-file", file, "--health-port", "0"];
  const { url, now } = await startListen(argv);
  const health = await vi.waitFor(() => {
    const [found] = /http:\S+readyz/.exec(now().stderr) ?? [];
    if (found === undefined) throw new Error("it does not say where");
    return found;
  }, PATIENCE);
  const not = await fetch(health);
  expect(not.status).toBe(503);
  expect(await not.json()).toMatchObject({
    checks: { open: false, receiver: true, tunnel: false },
  });
  expect(existsSync(file)).toBe(false);
  behind.url = url;
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENCE);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ publicUrl: `${origin}/webhooks` });
  const ready = await fetch(health);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ ready: true, checks: { tunnel: true } });
});
