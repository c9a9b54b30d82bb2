import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openTarget } from "../../relay/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening, startTarget } from "../open-listen.ts";

it("--save-dir saves authentic deliveries byte for byte, and replay --exact resends them identically", async () => {
  const first = await listening(["--save-dir", "saved"]);
  const { url, cwd } = first;
  writeFileSync(join(cwd, "data.json"), '{"amount": 1234567890123456789012345,\n "text": "\\u00e9"}');
  await runCli(["trigger", "payment.received", "--url", url, "--data", "@data.json"], { cwd });
  await fetch(url, { method: "POST", body: "unsigned" });
  const files = readdirSync(join(cwd, "saved"));
  expect(files).toHaveLength(1);
  const [file = ""] = files;
  expect(statSync(join(cwd, "saved", file)).mode & 0o777).toBe(0o600);
  const saved = JSON.parse(readFileSync(join(cwd, "saved", file), "utf8"));

  const got: { body: string; signature: unknown }[] = [];
  const target = await startTarget((body, headers) => {
    got.push({ body, signature: headers["x-service-signature"] });
    return 200;
  });
  const run = await runCli(["replay", "saved", "--exact", "--url", target], { cwd });
  expect(run.code).toBe(0);
  expect(got).toEqual([{ body: saved.body, signature: saved.headers["x-service-signature"] }]);
  expect(saved.body).toContain('{"amount": 1234567890123456789012345,\n "text": "\\u00e9"}');
  expect((await runCli(["replay", "saved", "--exact", "--url", url], { cwd })).stdout).toContain(
    " ms  duplicate  evt_1_",
  );
});

it("replay sends a folder in name order, with new timestamps and signatures, and exits with 1 if an answer was not 2xx", async () => {
  const cwd = tempFolder();
  for (const name of ["b", "a", "c"]) {
    const envelope = {
      event: "payment.received",
      timestamp: "2020-01-01T00:00:00Z",
      data: { name },
      webhook: {},
    };
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify(envelope, null, 2));
  }
  const got: string[] = [];
  const target = await startTarget((body) => {
    got.push(body);
    return body.includes('"a"') ? 500 : 200;
  });
  const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
  const run = await runCli(["replay", ".", "--url", target, "--json"], { cwd, env });
  expect(run.code).toBe(1);
  expect(run.records).toMatchObject([
    { label: "a.json", status: 500, ok: false },
    { label: "b.json", status: 200, ok: true },
    { label: "c.json", status: 200, ok: true },
  ]);
  expect(got.every((body) => !body.includes("2020-01-01") && body.includes('\n  "data"'))).toBe(true);
});

it("replay --handlers runs fixtures in this process, and exits with 1 if one fails", async () => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "h.ts"),
    'export default { "payment.received": (e) => { if (e.data.bad) throw new Error("no"); } };',
  );
  const envelope = (data: object) =>
    JSON.stringify({
      event: "payment.received",
      timestamp: "2020-01-01T00:00:00Z",
      data,
      webhook: { id: "wh_1", url: "u" },
    });
  writeFileSync(join(cwd, "1.json"), envelope({ bad: false }));
  writeFileSync(join(cwd, "2.json"), envelope({ bad: true }));
  expect(await runCli(["replay", "1.json", "--handlers", "h.ts"], { cwd })).toMatchObject({ code: 0 });
  const run = await runCli(["replay", "1.json", "2.json", "--handlers", "h.ts", "--json"], { cwd });
  expect(run.code).toBe(1);
  expect(run.records).toMatchObject([
    { state: "handled" },
    { state: "failed", detail: expect.stringMatching(/^payment.received: no at \S+h.ts:1:\d+$/) },
  ]);
});

it("the same seed sends the same schedule", async () => {
  const order = async () => {
    const got: string[] = [];
    const target = await startTarget((body) => {
      got.push(JSON.parse(body).event);
      return 200;
    });
    const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
    await runCli(["trigger", "--all", "--shuffle", "--seed", "7", "--delay", "0..2ms", "--url", target], {
      env,
    });
    return got;
  };
  const first = await order();
  expect(first).toHaveLength(12);
  expect(first[0] === "property.created" && first[1] === "property.updated").toBe(false);
  expect(await order()).toEqual(first);
});

it("the query of a delivery is hidden where it is shown, and sent again by replay --exact of its entry", async () => {
  const target = await openTarget();
  const { url, cwd, records } = await listening(["--save-dir", "saved"]);
  await runCli(["trigger", "payment.received", "--url", `${url}?code=hunter2&tenant=7`], { cwd });
  await vi.waitFor(() =>
    expect(records("delivery")).toMatchObject([{ target: "/webhooks?code=…&tenant=…" }]),
  );
  const [file = ""] = readdirSync(join(cwd, "saved"));
  const saved = readFileSync(join(cwd, "saved", file), "utf8");
  expect(JSON.parse(saved)).toMatchObject({ target: "/webhooks?code=…&tenant=…" });

  const bare = new URL("/in", target.url).href;
  const commands = [
    ["events", "show", "1"],
    ["events", "show", "1", "--json"],
    ["events", "export"],
    ["replay", "1", "--exact", "--url", bare],
    ["replay", "1", "--exact", "--url", `${bare}?own=1`],
    ["replay", "1", "--url", bare],
    ["replay", "saved", "--exact", "--url", bare],
    ["replay", "1", "--exact", "--url", bare, "--dry-run", "--json"],
  ];
  const runs = [];
  for (const argv of commands) runs.push(await runCli(argv, { cwd }));
  expect(runs.map(({ code }) => code)).toEqual(commands.map(() => 0));
  expect(target.got.map(({ url: asked }) => asked)).toEqual([
    "/in?code=hunter2&tenant=7",
    "/in?own=1",
    "/in",
    "/in",
  ]);
  const all = runs.map(({ stdout, stderr }) => stdout + stderr);
  expect([...all, saved].join()).not.toContain("hunter2");
  for (const index of [0, 1, 2]) expect(all[index]).toContain("/webhooks?code=…&tenant=…");
  const notes = runs.map(({ stderr }) => /query/.test(stderr));
  expect(notes).toEqual([false, false, false, false, false, false, true, true]);
});

it("trigger --timeout ends the wait for a response", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close().closeAllConnections());
  await once(silent, "listening");
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
  const run = await runCli(["trigger", "payment.received", "--url", url, "--timeout", "20ms"], {
    cwd: tempFolder(),
    env,
  });
  expect(run.code).toBe(5);
});
