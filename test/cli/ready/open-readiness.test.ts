import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

it("listen writes the ready file when it takes deliveries, and removes it before it stops", async () => {
  const cwd = tempFolder();
  const path = join(cwd, "ready.json");
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, url: "http://127.0.0.1:1/", pid: 1 }));
  const { stop, records, url } = await listening(["--ready-file", "ready.json"], cwd);
  const { schemaVersion, type, time, ...fields } = records("ready")[0] ?? {};
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ schemaVersion: 1, ...fields });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await fetch(url, { method: "POST" })).status).toBe(401);
  await stop();
  expect(existsSync(path)).toBe(false);
});

it("listen leaves no ready file if it fails to start, and refuses one with other content before it opens anything", async () => {
  const { url, cwd } = await listening();
  const ready = (port: string, file: string) =>
    runCli(["listen", "--port", port, "--ready-file", file, "--inbox", "two.db"], { cwd });
  expect((await ready(new URL(url).port, "ready.json")).code).toBe(5);
  expect(existsSync(join(cwd, "ready.json"))).toBe(false);
  for (const text of ["mine", "{}", "[1]", '{"pid":1}', " "]) {
    writeFileSync(join(cwd, "notes.txt"), text);
    expect((await ready("0", "notes.txt")).code, text).toBe(2);
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe(text);
  }
  for (const path of [".hookporter", join("none", "ready.json")])
    expect((await ready("0", path)).code, path).toBe(2);
  const health = await runCli(["listen", "--port", "0", "--health-port", new URL(url).port]);
  expect(health).toMatchObject({ code: 5, stderr: expect.stringContaining("--health-port") });
});

it("/readyz is served on a separate port, and not on the public one", async () => {
  const { records, url, cwd } = await listening(["--health-port", "0"]);
  const health = String(records("ready")[0]?.health);
  const ready = await fetch(new URL("/readyz", health));
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({
    ready: true,
    checks: { open: true, receiver: true, inbox: true },
  });
  expect((await fetch(new URL("/healthz", health))).status).toBe(200);
  for (const path of ["/healthz", "/readyz"])
    expect((await fetch(new URL(path, url))).status).toBe(404);
  expect((await fetch(new URL("/webhooks", health), { method: "POST" })).status).toBe(404);

  for (const ending of ["", "-wal", "-shm"])
    rmSync(join(cwd, ".hookporter", `inbox.db${ending}`), { force: true });
  const gone = await fetch(new URL("/readyz", health));
  expect(gone.status).toBe(503);
  expect(await gone.json()).toMatchObject({
    ready: false,
    checks: { receiver: true, inbox: false },
  });
});

it("/metrics is served beside /readyz, with what listen counts, and not on the public port; both end with listen", async () => {
  const argv = ["--health-port", "0", "--count", "1"];
  const { records, url, trigger, finished } = await listening(argv);
  const health = String(records("ready")[0]?.health);
  expect((await fetch(url, { method: "POST" })).status).toBe(401);
  const scraped = await fetch(new URL("/metrics", health));
  expect(scraped.status).toBe(200);
  expect(scraped.headers.get("content-type")).toContain("version=0.0.4");
  const text = await scraped.text();
  expect(text).toContain(
    'hookporter_deliveries_total{outcome="unauthorized",reason="signature_missing"} 1',
  );
  expect(text).toContain('hookporter_part_up{part="receiver"} 1');
  expect(text).toContain("process_resident_memory_bytes ");
  expect((await fetch(new URL("/metrics", url))).status).toBe(404);
  await trigger("lead.created");
  expect((await finished).code).toBe(0);
  await expect(fetch(new URL("/readyz", health))).rejects.toThrow();
});

it("listen is not ready while it waits for a handler to end", async () => {
  const cwd = tempFolder();
  const go = join(cwd, "go");
  writeFileSync(
    join(cwd, "h.js"),
    `import { existsSync } from "node:fs";
    import { setTimeout } from "node:timers/promises";
    export default { "*": async () => { while (!existsSync(${JSON.stringify(go)})) await setTimeout(10); } };`,
  );
  const argv = ["--health-port", "0", "--ready-file", "ready.json", "--handlers", "h.js"];
  const { records, trigger, signal, finished } = await listening(argv, cwd);
  const health = String(records("ready")[0]?.health);
  await trigger("lead.created");
  signal("SIGTERM");
  const state = await vi.waitFor(async () => {
    const answer = await fetch(new URL("/readyz", health));
    expect(answer.status).toBe(503);
    return answer.json();
  }, 5000);
  expect(state).toMatchObject({ ready: false, checks: { open: false } });
  expect(existsSync(join(cwd, "ready.json"))).toBe(false);
  expect((await fetch(new URL("/healthz", health))).status).toBe(200);
  writeFileSync(go, "");
  expect((await finished).code).toBe(0);
});
