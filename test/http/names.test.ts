import dns from "node:dns";
import { createServer, type IncomingMessage } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, isIP } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { observeByUrl } from "../../src/check/observer.ts";
import { createClient } from "../../src/entries/client.ts";
import { fetchByName } from "../../src/http/fetch-by-name.ts";
import { namedSocket } from "../../src/inbox/postgres/encryption.ts";
import { runCli } from "../cli/fake-io.ts";
import { until } from "../receiver/sample.ts";
import { SECRET } from "../relay/sample.ts";
import { open as openStream, openServer as openStreamServer } from "../service/stream/open.ts";

const NAME = "evil.localhost";
const env = { HOOKPORTER_SECRET: SECRET, HOOKPORTER_API_KEY: "sk_test_0123456789abcdef" };

/** The names that were looked up; all of them lead to another machine. */
let asked: string[] = [];

beforeEach(() => {
  asked = [];
  const real = dns.lookup;
  const lookUp = vi.spyOn(dns, "lookup");
  lookUp.mockImplementation(((name: string, ...rest: readonly unknown[]) => {
    if (isIP(name) !== 0) return Reflect.apply(real, dns, [name, ...rest]);
    asked.push(name);
    const done = rest.at(-1) as (error: null, found: unknown, family?: number) => void;
    const { all = false } = rest[0] as { readonly all?: boolean };
    if (all) done(null, [{ address: "192.0.2.9", family: 4 }]);
    else done(null, "192.0.2.9", 4);
  }) as never);
  syncBuiltinESMExports();
  return () => {
    lookUp.mockRestore();
    syncBuiltinESMExports();
  };
});

/** A server of this machine; it ends with the test. */
async function openServer(body = '{"data":[],"has_more":false}', status = 200) {
  const got: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    got.push(request);
    request.resume().on("end", () => void response.writeHead(status, { location: "/x" }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { got, port, url: `http://${NAME}:${port}/in` };
}

describe("a name below localhost leads to this machine, whatever the DNS says", () => {
  it.each([
    ["trigger", (url: string) => ["trigger", "lead.created", "--url", url]],
    ["check", (url: string) => ["check", url, "--only", "KIND"]],
    ["doctor --url", (url: string) => ["doctor", "--url", url]],
    ["doctor --forward-to", (url: string) => ["doctor", "--listen", "--forward-to", url]],
    ["doctor with a base URL", () => ["doctor"]],
    ["the service client", (url: string) => ["properties", "--base-url", new URL(url).origin]],
  ])("for %s", async (_name, argvOf) => {
    const { url, got, port } = await openServer();
    const argv = argvOf(url);
    const run = await runCli(argv, { env: { ...env, HOOKPORTER_BASE_URL: new URL(url).origin } });
    expect(got.length, run.stderr).toBeGreaterThan(0);
    expect(new Set(got.map(({ headers }) => headers.host))).toEqual(new Set([`${NAME}:${port}`]));
    expect(asked).toEqual([]);
  });

  it("for the client, with its key", async () => {
    const { got, port } = await openServer();
    const client = createClient({ baseUrl: `http://${NAME}:${port}`, apiKey: "sk_test_1" });
    await client.properties.list().catch(() => {});
    expect(got.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk_test_1"]);
    expect(asked).toEqual([]);
  });

  it("for what check observes with, which follows no redirect either", async () => {
    const { url, got } = await openServer("3");
    const observed = { marker: "m", bodies: [] };
    expect(await observeByUrl(url, 5000).count(observed)).toBe(3);
    const moved = await openServer("", 302);
    await expect(observeByUrl(moved.url, 5000).count(observed)).rejects.toThrow(/redirect/);
    expect([got.length, moved.got.length, asked]).toEqual([1, 1, []]);
  });

  it("for a stream", async () => {
    const { url, requests } = await openStreamServer();
    url.hostname = NAME;
    await openStream({ url });
    await until(() => expect(requests).toHaveLength(1));
    expect(asked).toEqual([]);
  });

  it("for a database", async () => {
    const { port } = await openServer();
    const socket = namedSocket().connect(port, NAME);
    onTestFinished(() => void socket.destroy());
    await new Promise<void>((resolve) => void socket.once("connect", resolve));
    expect([socket.remoteAddress, asked]).toEqual(["127.0.0.1", []]);
  });
});

describe("fetchByName", () => {
  it("gives status, headers and body, sends a body, and ends when it is told to", async () => {
    const { url, got } = await openServer("a body", 302);
    const response = await fetchByName(url, {
      method: "POST",
      headers: { "x-a": "b" },
      body: "sent",
      redirect: "manual",
    });
    expect([response.status, response.headers.get("location")]).toEqual([302, "/x"]);
    expect(await response.text()).toBe("a body");
    expect(got[0]?.headers).toMatchObject({ "x-a": "b", "content-length": "4" });
    const signal = AbortSignal.abort();
    await expect(fetchByName(url, { redirect: "manual", signal })).rejects.toThrow(/abort/);
  });

  it("has no body for answers without one", async () => {
    const { url } = await openServer("", 204);
    const response = await fetchByName(url, { redirect: "error" });
    expect([response.status, response.body]).toEqual([204, null]);
  });
});
