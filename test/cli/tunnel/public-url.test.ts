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
  "listen is ready once an address that the user maintains leads to it, and so are the ready file and /readyz: %s",
  async (path, given) => {
    const { origin, behind } = await openProxy(path);
    const file = join(tempFolder(), "ready.json");
    const more = ["--ready-file", file, "--health-port", "0"];
    const { url, now } = await startListen([
      "--json",
      "--public-url",
      `${origin}${given}`,
      ...more,
    ]);
    const records = (type: string) => now().records.filter((record) => record.type === type);
    const readyz = async () => {
      const answer = await fetch(/http:\S+readyz/.exec(now().stderr)?.[0] ?? "");
      return [answer.status, await answer.json()];
    };
    // What answers there is reported at the first probe.
    await vi.waitFor(() => expect(records("tunnel")).toHaveLength(2), PATIENCE);
    const checks = { open: false, receiver: true, tunnel: false };
    expect(await readyz()).toMatchObject([503, { checks }]);
    expect([records("ready"), existsSync(file)]).toEqual([[], false]);
    behind.url = url;
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENCE);
    await vi.waitFor(() => expect(records("ready")).toHaveLength(1), PATIENCE);
    expect(await readyz()).toMatchObject([200, { ready: true, checks: { tunnel: true } }]);
    const publicUrl = origin + path;
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ publicUrl });
    expect(records("ready")).toMatchObject([{ publicUrl }]);
    const message = expect.stringContaining("it answers 404, but from another server");
    expect(records("tunnel")).toMatchObject([
      { name: "public-url", state: "starting", url: null, code: null },
      { name: "public-url", state: "starting", code: "tunnel_unreachable", message },
      { name: "public-url", state: "online", url: publicUrl, previousUrl: null },
    ]);
    expect((await posting(new URL(publicUrl)).post(nowEnvelope())).status).toBe(200);
    expect(records("delivery")).toHaveLength(1); // probes are not deliveries
  },
);
