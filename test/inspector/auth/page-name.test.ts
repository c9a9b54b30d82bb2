import { expect, it } from "vitest";
import { allowedHosts } from "../../../src/inspector/auth/named-host.ts";
import { openInspector, raw, recordsInMemory } from "../open.ts";

it("a folder's page has the same name on the same port in each run, and another on another port or in another folder", async () => {
  const tokenRecords = recordsInMemory();
  const first = await openInspector({ tokenRecords });
  const { hostname } = first.inspector.url;
  expect(hostname).toMatch(/^[a-z\d]{12}\.localhost$/);
  const other = await openInspector({ tokenRecords });
  expect(other.inspector.url.hostname).not.toBe(hostname);
  await first.close();
  const { port } = first;
  const second = await openInspector({ tokenRecords, port });
  expect(second.inspector.url.hostname).toBe(hostname);
  await second.close();
  const stranger = await openInspector({ port });
  expect(stranger.inspector.url.hostname).not.toBe(hostname);
});

it("only the page's own name is allowed beside this machine's", async () => {
  const { inspector, port, token } = await openInspector();
  const { hostname, origin } = inspector.url;
  expect(inspector.loopbackUrl.href).toBe(`http://127.0.0.1:${port}/#token=${token}`);
  const status = async (host: string, more: Record<string, string> = {}) =>
    (
      await raw(port, "/api/status", {
        headers: { host, authorization: `Bearer ${token}`, ...more },
      })
    ).status;
  for (const host of [hostname, "127.0.0.1", "localhost", "[::1]"])
    expect(await status(`${host}:${port}`), host).toBe(200);
  expect(await status(`${hostname.toUpperCase()}:${port}`)).toBe(200);
  const others = ["aaaaaaaaaaaa.localhost", `a.${hostname}`, `${hostname}.`, `${hostname}.test`];
  for (const host of [...others.map((name) => `${name}:${port}`), hostname, `${hostname}:1`])
    expect(await status(host), host).toBe(403);
  expect(await status(`${hostname}:${port}`, { origin })).toBe(200);
  for (const foreign of [`http://127.0.0.1:${port}`, origin.replace("http:", "https:")])
    expect(await status(`${hostname}:${port}`, { origin: foreign }), foreign).toBe(403);
});

it("on port 80, which browsers leave out, the page's own names are allowed without it", () => {
  const { hosts } = allowedHosts([], 80, "a.localhost");
  expect([...hosts]).toEqual(
    expect.arrayContaining(["a.localhost", "a.localhost:80", "127.0.0.1", "localhost"]),
  );
  expect(allowedHosts([], 4401, "a.localhost").hosts).not.toContain("127.0.0.1");
});
