import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Delivery } from "../../../src/entries/index.ts";
import { openTarget } from "../../relay/sample.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { listening, startTarget } from "../open-listen.ts";
import { saveDeliveries } from "../save-deliveries.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };

it("--save-dir saves authentic deliveries byte for byte, and replay --exact resends them identically", async () => {
  const first = await listening(["--save-dir", "saved"]);
  const { url, cwd } = first;
  writeFileSync(
    join(cwd, "data.json"),
    '{"amount": 1234567890123456789012345,\n "text": "\\u00e9"}',
  );
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
  const run = await runCli(["replay", ".", "--url", target, "--json"], { cwd, env });
  expect(run.code).toBe(1);
  expect(run.records).toMatchObject([
    { label: "a.json", status: 500, ok: false },
    { label: "b.json", status: 200, ok: true },
    { label: "c.json", status: 200, ok: true },
  ]);
  expect(got.every((body) => !body.includes("2020-01-01") && body.includes('\n  "data"'))).toBe(
    true,
  );
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
  expect(await runCli(["replay", "1.json", "--handlers", "h.ts"], { cwd })).toMatchObject({
    code: 0,
  });
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
    await runCli(
      ["trigger", "--all", "--shuffle", "--seed", "7", "HOOKPORTER_DELAY=0..2ms", "--url", target],
      {
        env,
      },
    );
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
  const run = await runCli(["trigger", "payment.received", "--url", url, "--timeout", "20ms"], {
    cwd: tempFolder(),
    env,
  });
  expect(run.code).toBe(5);
});

/** A folder with saved deliveries, by name. */
function savedFolder(deliveries: Readonly<Record<string, Partial<Delivery>>>) {
  const cwd = saveDeliveries(deliveries);
  const records = () => {
    const state = join(cwd, ".hookporter");
    return existsSync(state) ? readdirSync(state).filter((name) => name.startsWith("replay-")) : [];
  };
  return { cwd, records };
}

it("--wait without an inbox sends nothing", async () => {
  const target = await openTarget();
  const { cwd } = savedFolder({ "a.json": {} });
  const run = await runCli(["replay", "a.json", "--wait", "--url", target.url.href, "--json"], {
    cwd,
    env,
  });
  expect(run.records).toMatchObject([{ type: "error", code: "usage" }]);
  expect(target.got).toEqual([]);
});

it("one file leaves no record, and a refusal of it does not tell of one", async () => {
  const target = await openTarget((response) => void response.writeHead(500).end());
  const { cwd, records } = savedFolder({ "a.json": {} });
  const run = await runCli(["replay", "a.json", "--url", target.url.href], { cwd, env });
  expect([run.code, records()]).toEqual([1, []]);
  expect(run.stderr).not.toContain("--resume");
});

it.each(["--duplicate 1", "--drop 0%", "--tamper body", "--no-signature", "--dry-run"])(
  "a run with %s leaves no record to resume, and does not tell of one",
  async (flags) => {
    const target = await openTarget((response) => void response.writeHead(500).end());
    const { cwd, records } = savedFolder({ "a.json": {}, "b.json": {} });
    const argv = ["replay", ".", "--url", target.url.href, ...flags.split(" ")];
    const run = await runCli(argv, { cwd, env });
    expect([run.code, records()]).toEqual([flags === "--dry-run" ? 0 : 1, []]);
    expect(run.stderr).not.toContain("--resume");
    expect(await runCli([...argv, "--resume"], { cwd, env })).toMatchObject({ code: 2 });
  },
);

it("a dry run in a folder without state leaves none", async () => {
  const { cwd } = savedFolder({ "a.json": {} });
  const argv = [
    "replay",
    "a.json",
    "--dry-run",
    "--url",
    "http://app.test/",
    `HOOKPORTER_BODIES_TO=${tempFolder()}`,
  ];
  expect(await runCli(argv, { cwd, env })).toMatchObject({ code: 0 });
  expect(readdirSync(cwd)).toEqual(["a.json"]);
});

it("without a signature no secret is needed, and the saved one is not sent", async () => {
  const target = await openTarget();
  const { cwd } = savedFolder({ "a.json": {} });
  const argv = ["replay", "a.json", "--no-signature", "--url", target.url.href];
  expect(await runCli(argv, { cwd })).toMatchObject({ code: 0 });
  expect(target.got[0]?.headers).not.toHaveProperty("x-service-signature");
  const none = await runCli(["replay", "a.json", "--url", target.url.href], { cwd });
  expect([none.code, target.got.length]).toEqual([3, 1]);
});

it.each([
  '\uFEFF{ "data":{"timestamp":"then","id":12345678901234567890123, "x":"\\u00e9"},\r\n "timestamp" : OLD,"event":"x" }\n',
  "",
  "no JSON",
  "[1]",
  "null",
  '{"event":"x"}',
  '{"data":{"timestamp":"then"}}',
])("nothing but the timestamp and the signature is new: %j", async (text) => {
  const target = await openTarget();
  const headers = {
    "Content-Type": ["text/plain", "text/html"],
    "X-Service-Signature": "sha256=old",
    "X-Other": "kept",
  };
  const body = Buffer.from(text.replace("OLD", '"2020-01-01T00:00:00Z"'));
  const { cwd } = savedFolder({ "a.json": { body, headers } });
  await runCli(["replay", "a.json", "--url", target.url.href], { cwd, env });
  const [got] = target.got;
  const sent = String(got?.body);
  expect(sent.replace(/"\d{4}-\d\d-\d\dT[^"]*Z"/, "OLD")).toBe(text);
  expect(sent).not.toContain("2020-01-01");
  expect(got?.headers).toMatchObject({
    "content-type": "text/plain",
    "x-other": "kept",
    "x-service-signature": signed(sent, env.HOOKPORTER_SECRET),
  });
});

it("an envelope is sent as JSON and signed, but has no signature of old for --exact", async () => {
  const target = await openTarget();
  const cwd = tempFolder();
  writeFileSync(join(cwd, "a.json"), '{"event":"lead.created"}');
  const argv = ["replay", "a.json", "--url", target.url.href, "--json"];
  expect((await runCli(argv, { cwd, env })).code).toBe(0);
  expect(target.got[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "x-service-signature": signed('{"event":"lead.created"}', env.HOOKPORTER_SECRET),
  });
  const exact = await runCli([...argv, "--exact"], { cwd, env });
  expect(exact.records).toMatchObject([{ type: "error", code: "fixture_invalid" }]);
  expect(exact.said).toContain("a.json: expected a saved delivery, got an envelope");
  expect(target.got).toHaveLength(1);
});

it("--stale and --signature-header are those of the event that is sent", async () => {
  const target = await openTarget();
  const body = Buffer.from('{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z"}');
  const { cwd } = savedFolder({ "a.json": { body } });
  const flags = ["--stale", "1d", "HOOKPORTER_SIGNATURE_HEADER=X-Other"];
  await runCli(["replay", "a.json", ...flags, "--url", target.url.href], { cwd, env });
  const [got] = target.got;
  expect(got?.headers["x-other"]).toBe(signed(got?.body ?? "", env.HOOKPORTER_SECRET));
  const age = Date.now() - Date.parse(JSON.parse(String(got?.body)).timestamp);
  expect(Math.round(age / 3_600_000)).toBe(24);
});

it.each([
  [1, "a.json: saved without the values of the query, "],
  [3, "a.json and 2 more: saved without the values of the query, "],
])("of %i files without the values of their queries, the first is named", async (count, said) => {
  const target = await openTarget();
  const names = ["a.json", "b.json", "c.json"].slice(0, count);
  const { cwd } = savedFolder({
    ...Object.fromEntries(names.map((name) => [name, { target: "/in?key=…" }])),
    "d.json": { target: "/…?" },
  });
  const bare = new URL("/in", target.url).href;
  const run = await runCli(["replay", ".", "--exact", "--url", bare], { cwd });
  expect(run.stderr).toContain(
    `${said}so no query is sent: add it to --url if the target needs it\n`,
  );
  const own = await runCli(["replay", ".", "--exact", "--url", `${bare}?own=1`], { cwd });
  expect(own.stderr).not.toContain("query");
});

it("a file that is skipped does not hide that a run was interrupted", async () => {
  const target = await openTarget();
  const { cwd } = savedFolder({ "a.json": {}, "b.json": {} });
  writeFileSync(join(cwd, "c.json"), "{bad");
  const run = startCli(["replay", ".", "--rate", "0.001", "--url", target.url.href], { cwd, env });
  await vi.waitFor(() => expect(target.got).toHaveLength(1));
  run.signal("SIGINT");
  expect(await run.finished).toMatchObject({ code: 130 });
});
