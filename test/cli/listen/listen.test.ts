import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";

it("listen creates a development secret for its owner only, prints its fingerprint, and trigger finds it", async () => {
  const { cwd, now, records, trigger } = await listening();
  const secret = readFileSync(join(cwd, ".hookporter", "secret"), "utf8").trim();
  expect(statSync(join(cwd, ".hookporter", "secret")).mode & 0o777).toBe(0o600);
  expect(statSync(join(cwd, ".hookporter", "inbox.db")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, ".hookporter", ".gitignore"), "utf8")).toBe("*\n");
  expect((await trigger("payment.received")).code).toBe(0);
  expect(records("delivery")).toMatchObject([
    { verdict: "accepted", kind: "payment.received", secret: "current" },
  ]);
  expect(records("ready")).toMatchObject([
    { secretFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) },
  ]);
  expect(now().stdout + now().stderr).not.toContain(secret);
});

it("each verdict is shown with its reason and fix, and the summary counts them", async () => {
  const { url, records, trigger, until, stop } = await listening();
  await trigger("payment.received", "--duplicate", "2");
  await trigger("payment.received", "--set", "webhook.id=5");
  await trigger("property.created", "--set", "data.rooms=many");
  await fetch(url, { method: "POST", body: "x" });
  const headers = { "x-service-signature": `sha256=${"0".repeat(64)}` };
  await fetch(url, { method: "POST", body: "x", headers });
  await until("delivery", 6); // shown when it has been diagnosed
  await fetch(`${url}/${"a".repeat(14_000)}?code=hunter2`, { method: "POST" });
  expect(records("delivery").at(-1)?.target).toBe(`/webhooks/${"a".repeat(1990)}…`);
  const verdicts = records("delivery").map(({ verdict, reason, fix }) => [
    verdict,
    reason,
    typeof fix,
  ]);
  expect(verdicts).toEqual([
    ["accepted", null, "object"],
    ["duplicate", null, "object"],
    ["rejected", "invalid_envelope", "string"],
    ["dead", "invalid_data", "string"],
    ["unauthorized", "signature_missing", "string"],
    ["unauthorized", "signature_mismatch", "string"],
    ["refused", "wrong_path", "string"],
  ]);
  for (const _ of [1, 2]) await trigger("lead.created", "--data", '{"id":"same"}');
  await until("attempt", 3);
  expect((await stop()).stderr).toContain(
    "stopped by SIGINT: 3 accepted, 1 duplicate, 1 rejected (1 invalid_envelope), " +
      "2 unauthorized (1 signature_missing, 1 signature_mismatch), 1 refused (1 wrong_path), " +
      "3 received, 1 dead (1 invalid_data)\n",
  );
  expect(records("stopped")).toMatchObject([
    { counts: { accepted: 3, duplicate: 1, refused: 1, dead: 1 }, restamped: 1 },
  ]);
});

it("listen exits with 0 once --count is reached, though a delivery cannot be saved, or other processes run the handlers", async () => {
  const listen = await listening(["--count", "2", "--save-dir", "saved"]);
  rmSync(join(listen.cwd, "saved"), { recursive: true });
  await listen.trigger("payment.received", "--count", "2");
  expect((await listen.finished).code).toBe(0);
  expect(listen.now().stderr).toContain("could not save a delivery");
  const goal = ["--count", "1", "--timeout", "20s"];
  const other = await listening([...goal, "--role", "receive", "--no-inspect"]);
  await other.trigger("payment.received");
  expect(await other.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("goal reached: 1 of 1 event"),
  });
});

it("--wait-for waits for its kind only", async () => {
  const { finished, records, trigger, until } = await listening(["--wait-for", "tenant.*"]);
  await trigger("payment.received");
  await until("delivery", 1);
  expect(records("stopped")).toHaveLength(0);
  await trigger("tenant.created");
  expect((await finished).code).toBe(0);
});

it("listen exits with 6 on time-out, with 130 or 143 if interrupted before the goal, with 1 if the awaited event failed, with 0 without a goal", async () => {
  const goal = ["--count", "1"];
  expect((await (await listening([...goal, "--timeout", "50ms"])).finished).code).toBe(6);
  for (const [argv, signal, code] of [
    [goal, "SIGINT", 130],
    [goal, "SIGTERM", 143],
    [[], "SIGINT", 0],
  ] as const) {
    const listen = await listening(argv);
    listen.signal(signal);
    expect((await listen.finished).code).toBe(code);
  }
  const cwd = folderWith({
    "h.js": 'export default { "*": () => { throw new Error("broken"); } };',
  });
  const failing = await listening([...goal, "--handlers", "h.js"], cwd);
  await failing.trigger("payment.received");
  expect((await failing.finished).code).toBe(1);
});

it.each([
  ["payment.*,contact.created", ["contact.created", "payment.overdue", "payment.received"]],
  ["payment.received", ["payment.received"]],
])(
  "--events %s limits what is shown, handled, forwarded and saved, but all events are kept",
  async (events, kinds) => {
    const cwd = tempFolder();
    const registering = `receiver.on("*", () => {}); receiver.onUnknown(() => {});`;
    writeFileSync(join(cwd, "h.js"), `export default (receiver) => { ${registering} };`);
    const target = await startReceiving();
    const argv = ["--events", events, "--handlers", "h.js", "--forward-to", target.url];
    const { now, trigger, records, entries } = await listening(
      [...argv, "--save-dir", "saved"],
      cwd,
    );
    await trigger("--all");
    await trigger("lease.signed", "--unknown-kind");
    const kindsOf = (found: readonly Record<string, unknown>[]) =>
      found.map(({ kind }) => kind).sort();
    await vi.waitFor(async () => {
      const all = await entries();
      expect(kindsOf(all.filter(({ state }) => state === "handled"))).toEqual(kinds);
      expect(all.filter(({ state }) => state === "received")).toHaveLength(13 - kinds.length);
    }, 20_000);
    expect(kindsOf(records("delivery"))).toEqual(kinds);
    expect(target.kinds().sort()).toEqual(kinds);
    expect(readdirSync(join(cwd, "saved"))).toHaveLength(kinds.length);
    expect(now().stderr).not.toContain("error");
  },
);

it("the summary shows the progress of a rotation", async () => {
  const env = { NEW: "the new secret of good size", OLD: "the old secret of good size" };
  const argv = ["--secret-env", "NEW,OLD"];
  const { trigger, until, records, stop } = await listening(argv, tempFolder(), env);
  for (const name of ["NEW", "OLD"]) await trigger("lead.created", "--secret-env", name);
  await until("attempt", 2);
  expect((await stop()).stderr).toContain(
    "stopped by SIGINT: 2 accepted, 2 received, 1 signed with a previous secret\n",
  );
  expect(records("stopped")).toMatchObject([
    { reasons: {}, secrets: { current: 1, previous: 1 }, strayErrors: 0 },
  ]);
});

it("a new inbox is named beside its path, and an existing one is not called new", async () => {
  const first = await listening();
  expect(first.now().stderr).toMatch(/^hookporter .*\n\n/);
  expect(first.now().stderr).toMatch(/^ {2}Inbox {6}\S+inbox\.db, new and empty$/m);
  await first.stop();
  const second = await listening([], first.cwd);
  expect(second.now().stderr).toMatch(/^ {2}Inbox {6}\S+inbox\.db$/m);
});

it("the inspector opens, a taken port of it or of listen ends with 5, and there is none with --no-inspect", async () => {
  const { records, now, url, api } = await listening();
  const address = String(records("ready")[0]?.inspector);
  expect(address).toMatch(/^http:\/\/[a-z\d]{12}\.localhost:\d+\/#token=[\w-]{22}$/);
  const second = new URL(address);
  second.hostname = "127.0.0.1";
  expect(records("ready")).toMatchObject([{ inspectorLoopback: second.href }]);
  expect(now().stderr).toContain(`  Inspector  ${address}\n  Or at      ${second.href}\n`);
  expect(await api("/api/status")).toMatchObject({ endpoint: url, handlers: null, forwards: [] });
  for (const [argv, words] of [
    [["--port", "0", "--inspect-port", new URL(address).port], "--inspect-port"],
    [["--port", new URL(url).port], "in use"],
  ] as const)
    expect(await runCli(["listen", ...argv])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(words),
    });
  const without = await listening(["--no-inspect"]);
  expect(without.records("ready")).toMatchObject([{ inspector: null, inspectorLoopback: null }]);
  const cwd = folderWith({ "hookporter.config.json": '{ "inspect": false }' });
  expect((await listening([], cwd)).records("ready")).toMatchObject([{ inspector: null }]);
  expect((await listening(["--inspect"], cwd)).records("ready")[0]?.inspector).toMatch(/^http/);
});

it("a token of an earlier run in the folder is still valid, until its file is removed", async () => {
  const cwd = tempFolder();
  const first = await listening(["HOOKPORTER_INSPECT_HOST=devbox.test"], cwd);
  const pageOf = ({ records }: typeof first) =>
    new URL(String(records("ready")[0]?.inspectorLoopback));
  const token = pageOf(first).hash.replace("#token=", "");
  const headers = { authorization: `Bearer ${token}` };
  const status = async (run: typeof first) =>
    (await fetch(new URL("/api/status", pageOf(run)), { headers })).status;
  expect(await status(first)).toBe(200);
  const file = join(cwd, ".hookporter", "inspector-tokens");
  expect(readFileSync(file, "utf8")).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await status(await listening([], cwd))).toBe(200);
  rmSync(file);
  expect(await status(await listening([], cwd))).toBe(401);
  const wrong = await runCli(["listen", "--port", "0", "HOOKPORTER_INSPECT_HOST=*.test"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("without wildcards")]);
});
