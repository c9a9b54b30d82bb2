import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openTarget } from "../../relay/sample.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";
import { saveDeliveries } from "../save-deliveries.ts";
import { env, envelope, sendingTo } from "./sending.ts";

it("--save-dir saves authentic deliveries byte for byte, and replay --exact resends them identically", async () => {
  const { url, cwd } = await listening(["--save-dir", "saved"]);
  const data = '{"amount": 1234567890123456789012345,\n "text": "\\u00e9"}';
  const own = { env: {} }; // the secret is the folder's
  writeFileSync(join(cwd, "data.json"), data);
  const listen = sendingTo({ url }, cwd);
  await listen.run("trigger payment.received --data @data.json", own);
  await fetch(url, { method: "POST", body: "unsigned" });
  const [file = "", ...others] = readdirSync(join(cwd, "saved"));
  expect(others).toEqual([]);
  expect(statSync(join(cwd, "saved", file)).mode & 0o777).toBe(0o600);
  const saved = JSON.parse(readFileSync(join(cwd, "saved", file), "utf8"));
  expect(saved.body).toContain(data);

  const target = await startReceiving();
  expect((await sendingTo(target, cwd).run("replay saved --exact", own)).code).toBe(0);
  const signature = saved.headers["x-service-signature"];
  expect(target.got).toEqual([{ body: saved.body, signature }]);
  expect((await listen.run("replay saved --exact", own)).stdout).toContain(
    " ms  duplicate  evt_1_",
  );
});

it("replay sends a folder in name order, with new timestamps and signatures, and exits with 1 if an answer was not 2xx", async () => {
  const pretty = (name: string) => JSON.stringify(envelope({ data: { name } }), null, 2);
  const cwd = folderWith({ "b.json": pretty("b"), "a.json": pretty("a"), "c.json": pretty("c") });
  const target = await startReceiving(500, 200);
  const run = await sendingTo(target, cwd).run("replay . --json");
  expect(run.code).toBe(1);
  expect(run.records).toMatchObject([
    { label: "a.json", status: 500, ok: false },
    { label: "b.json", status: 200, ok: true },
    { label: "c.json", status: 200, ok: true },
  ]);
  for (const body of target.bodies()) {
    expect(body).not.toContain("2026-01-01");
    expect(body).toContain('\n  "data"');
  }
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
    "events show 1",
    "events show 1 --json",
    "events export",
    `replay 1 --exact --url ${bare}`,
    `replay 1 --exact --url ${bare}?own=1`,
    `replay 1 --url ${bare}`,
    `replay saved --exact --url ${bare}`,
    `replay 1 --exact --url ${bare} --dry-run --json`,
  ];
  const runs = [];
  for (const line of commands) runs.push(await runCli(line.split(" "), { cwd }));
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

it.each(["trigger payment.received", "replay a.json"])(
  "%s --timeout ends the wait for a response",
  async (what) => {
    const cwd = saveDeliveries({ "a.json": {} });
    const { run } = sendingTo(await startReceiving("never"), cwd);
    expect((await run(`${what} --timeout 20ms`)).code).toBe(5);
  },
);

it.each([
  ["one file", "replay a.json"],
  ["--duplicate 1", "replay . --duplicate 1"],
  ["--drop 0%", "replay . --drop 0%"],
  ["--tamper body", "replay . --tamper body"],
  ["--no-signature", "replay . --no-signature"],
  ["--dry-run", "replay . --dry-run"],
])("a run of %s leaves no record to resume, and does not tell of one", async (_, line) => {
  const cwd = saveDeliveries({ "a.json": {}, "b.json": {} });
  const run = await sendingTo(await startReceiving(500), cwd).run(line);
  const state = join(cwd, ".hookporter");
  const names = existsSync(state) ? readdirSync(state) : [];
  expect(names.filter((name) => name.startsWith("replay-"))).toEqual([]);
  expect(run.code).toBe(line.endsWith("--dry-run") ? 0 : 1);
  expect(run.stderr).not.toContain("--resume");
});

it("without a signature no secret is needed, and the saved one is not sent", async () => {
  const target = await openTarget();
  const { run } = sendingTo(target, saveDeliveries({ "a.json": {} }));
  for (const what of ["replay a.json", "trigger lead.created"])
    expect(await run(`${what} --no-signature`, { env: {} })).toMatchObject({ code: 0 });
  for (const { headers } of target.got) expect(headers).not.toHaveProperty("x-service-signature");
  const none = await run("replay a.json", { env: {} });
  expect([none.code, target.got.length]).toEqual([3, 2]);
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
  await sendingTo(target, saveDeliveries({ "a.json": { body, headers } })).run("replay a.json");
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
  const text = '{"event":"lead.created"}';
  const { run } = sendingTo(target, folderWith({ "a.json": text }));
  expect((await run("replay a.json --json")).code).toBe(0);
  expect(target.got[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "x-service-signature": signed(text, env.HOOKPORTER_SECRET),
  });
  const exact = await run("replay a.json --exact --json");
  expect(exact.records).toMatchObject([{ type: "error", code: "fixture_invalid" }]);
  expect(exact.said).toContain("a.json: expected a saved delivery, got an envelope");
  expect(target.got).toHaveLength(1);
});

it("--stale and --signature-header are those of the event that is sent", async () => {
  const target = await openTarget();
  const cwd = folderWith({ "a.json": envelope() });
  const flags = "--stale 1d HOOKPORTER_SIGNATURE_HEADER=X-Other";
  await sendingTo(target, cwd).run(`replay a.json ${flags}`);
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
  const cwd = saveDeliveries({
    ...Object.fromEntries(names.map((name) => [name, { target: "/in?key=…" }])),
    "d.json": { target: "/…?" },
  });
  const replay = (path: string) =>
    sendingTo({ url: new URL(path, target.url) }, cwd).run("replay . --exact");
  expect((await replay("/in")).stderr).toContain(
    `${said}so no query is sent: add it to --url if the target needs it\n`,
  );
  expect((await replay("/in?own=1")).stderr).not.toContain("query");
});

it("--exact leaves out envelopes, which have no signature, and sends the rest", async () => {
  const target = await openTarget();
  const cwd = saveDeliveries({ "b.json": {} });
  writeFileSync(join(cwd, "a.json"), JSON.stringify(envelope()));
  const run = await sendingTo(target, cwd).run("replay . --exact");
  expect(run.stderr).toContain("a.json: expected a saved delivery, got an envelope");
  expect([run.code, target.got.length]).toEqual([1, 1]);
});

it("--handlers refuses the address that nothing is sent to", async () => {
  const { code, stderr } = await runCli(
    ["replay", "a.json", "--handlers", "h.mjs", "--url", "http://127.0.0.1:1/in"],
    { cwd: folderWith({ "a.json": envelope() }), env },
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining("--url")]);
});
