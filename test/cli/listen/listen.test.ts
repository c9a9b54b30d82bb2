import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { listening, startTarget } from "../open-listen.ts";

it("listen creates a development secret for its owner only, prints its fingerprint, and trigger finds it", async () => {
  const { url, cwd, now, records } = await listening();
  const secret = readFileSync(join(cwd, ".hookporter", "secret"), "utf8").trim();
  expect(statSync(join(cwd, ".hookporter", "secret")).mode & 0o777).toBe(0o600);
  expect(statSync(join(cwd, ".hookporter", "inbox.db")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, ".hookporter", ".gitignore"), "utf8")).toBe("*\n");
  expect((await runCli(["trigger", "payment.received", "--url", url], { cwd })).code).toBe(0);
  expect(records("delivery")).toMatchObject([
    { verdict: "accepted", kind: "payment.received", secret: "current" },
  ]);
  expect(records("ready")).toMatchObject([
    { secretFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) },
  ]);
  expect(now().stdout + now().stderr).not.toContain(secret);
});

it("each verdict is shown with its reason and fix", async () => {
  const { url, cwd, records } = await listening();
  await runCli(["trigger", "payment.received", "--url", url, "--duplicate", "2"], { cwd });
  await runCli(["trigger", "payment.received", "--url", url, "--set", "webhook.id=5"], { cwd });
  await runCli(["trigger", "property.created", "--url", url, "--set", "data.rooms=many"], { cwd });
  await fetch(url, { method: "POST", body: "x" });
  await fetch(url, {
    method: "POST",
    body: "x",
    headers: { "x-service-signature": `sha256=${"0".repeat(64)}` },
  });
  // shown when it has been diagnosed
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(6));
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
});

it("handlers from a TypeScript file run, and are reloaded when it changes", async () => {
  const cwd = tempFolder();
  const write = (word: string) =>
    writeFileSync(
      join(cwd, "handlers.ts"),
      `import { appendFileSync } from "node:fs";
       const out: string = ${JSON.stringify(join(cwd, "out"))};
       export default { "payment.*": (event: { kind: string }) => appendFileSync(out, "${word} " + event.kind + "\\n") };`,
    );
  write("old");
  const { url, now, records } = await listening(["--handlers", "handlers.ts"], cwd);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(1));
  write("new");
  await vi.waitFor(() => expect(now().stderr).toContain("handlers reloaded"), 5000);
  await runCli(["trigger", "payment.overdue", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(2));
  expect(readFileSync(join(cwd, "out"), "utf8")).toBe(
    "old payment.received\nnew payment.overdue\n",
  );
  writeFileSync(join(cwd, "handlers.ts"), "export default {");
  await vi.waitFor(() => expect(now().stderr).toContain("the previous ones stay in use"), 5000);
});

it("the times of handler runs have the same format as other times", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.js"), 'export default { "*": () => {} };');
  const { url, records } = await listening(["--handlers", "h.js"], cwd);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(1));
  const shown = await runCli(["events", "show", "1", "--json"], { cwd });
  for (const { runs } of [...records("attempt"), ...shown.records]) {
    expect(runs).toMatchObject([{ startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }]);
  }
  expect(shown.records).toHaveLength(1);
});

it("--forward-to forwards the same bytes and signature until the target answers 2xx", async () => {
  const answers = [500, 200];
  const got: string[] = [];
  const target = await startTarget((body, headers) => {
    got.push(`${headers["x-service-signature"]} ${body}`);
    return answers.shift() ?? 200;
  });
  const { url, cwd, records } = await listening(["--forward-to", target]);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(2), 5000);
  expect(records("attempt")).toMatchObject([{ state: "failing" }, { state: "handled" }]);
  expect(got).toHaveLength(2);
  expect(got[0]).toBe(got[1]);
  expect(got[0]).toMatch(/^sha256=[0-9a-f]{64} \{/);
});

it.each([1, 2])("listen exits with 0 once --count %d is reached", async (wanted) => {
  const listen = await listening(["--count", String(wanted)]);
  const argv = ["trigger", "payment.received", "--url", listen.url, "--count", String(wanted)];
  await runCli(argv, { cwd: listen.cwd });
  expect((await listen.finished).code).toBe(0);
});

it("--wait-for waits for its kind only", async () => {
  const { url, cwd, finished, records } = await listening(["--wait-for", "tenant.*"]);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(1));
  expect(records("stopped")).toHaveLength(0);
  await runCli(["trigger", "tenant.created", "--url", url], { cwd });
  expect((await finished).code).toBe(0);
});

it("--count ends once events have arrived if other processes run their handlers", async () => {
  const listen = await listening([
    "--count",
    "1",
    "--timeout",
    "20s",
    "--role",
    "receive",
    "--no-inspect",
  ]);
  await runCli(["trigger", "payment.received", "--url", listen.url], { cwd: listen.cwd });
  expect(await listen.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("goal reached: 1 of 1 event"),
  });
});

it("listen exits with 6 on time-out, with 130 if interrupted before the goal, with 0 without a goal", async () => {
  expect((await (await listening(["--count", "1", "--timeout", "50ms"])).finished).code).toBe(6);
  const interrupted = await listening(["--count", "1"]);
  interrupted.signal("SIGINT");
  expect((await interrupted.finished).code).toBe(130);
  const terminated = await listening(["--count", "1"]);
  terminated.signal("SIGTERM");
  expect((await terminated.finished).code).toBe(143);
  const open = await listening();
  open.signal("SIGINT");
  expect((await open.finished).code).toBe(0);
});

it("listen exits with 1 if the awaited event failed in its handler", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.js"), 'export default { "*": () => { throw new Error("broken"); } };');
  const { url, finished } = await listening(["--count", "1", "--handlers", "h.js"], cwd);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  expect((await finished).code).toBe(1);
});

it("--events limits what is shown, handled and saved, but all events are kept", async () => {
  const { url, cwd, records } = await listening(["--events", "payment.*", "--save-dir", "saved"]);
  await runCli(["trigger", "--all", "--url", url], { cwd });
  expect(records("delivery").map(({ kind }) => kind)).toEqual([
    "payment.received",
    "payment.overdue",
  ]);
  expect(readdirSync(join(cwd, "saved"))).toHaveLength(2);
  expect((await runCli(["events", "list", "--json"], { cwd })).records).toHaveLength(12);
});

it.each([
  ["payment.*,contact.created", ["payment.received", "payment.overdue", "contact.created"]],
  ["payment.received", ["payment.received"]],
])("kinds not named by %s are received, by handlers and forwards alike", async (events, kinds) => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "h.js"),
    'export default (receiver) => { receiver.on("*", () => {}); receiver.onUnknown(() => {}); };',
  );
  const got: string[] = [];
  const target = await startTarget((body) => {
    got.push(JSON.parse(body).event);
    return 200;
  });
  const { url, now } = await listening(
    ["--events", events, "--handlers", "h.js", "--forward-to", target],
    cwd,
  );
  await runCli(["trigger", "--all", "--url", url], { cwd });
  await runCli(["trigger", "lease.signed", "--unknown-kind", "--url", url], { cwd });
  const list = async (state: string) =>
    (await runCli(["events", "list", "--json", "--state", state], { cwd })).records.map(
      ({ kind }) => kind,
    );
  await vi.waitFor(
    async () => expect(await list("received")).toHaveLength(13 - kinds.length),
    10_000,
  );
  await vi.waitFor(
    async () => expect((await list("handled")).sort()).toEqual([...kinds].sort()),
    10_000,
  );
  expect(got.sort()).toEqual([...kinds].sort());
  expect(now().stderr).not.toContain("error");
});

it("the summary counts deliveries and shows the progress of a rotation", async () => {
  const env = { NEW: "the new secret of good size", OLD: "the old secret of good size" };
  const cwd = tempFolder();
  const listen = startCli(["listen", "--port", "0", "--json", "--secret-env", "NEW,OLD"], {
    cwd,
    env,
  });
  const record = (type: string) => listen.now().records.find((record) => record.type === type);
  await vi.waitFor(() => expect(record("ready")).toBeDefined(), 5000);
  const url = String(record("ready")?.url);
  const trigger = (name: string) =>
    runCli(["trigger", "lead.created", "--url", url, "--secret-env", name], { cwd, env });
  await trigger("NEW");
  await trigger("OLD");
  await fetch(url, { method: "POST", body: "x" });
  await vi.waitFor(() => expect(listen.now().stdout.match(/"attempt"/g)).toHaveLength(4), 5000);
  listen.signal("SIGINT");
  const { stderr } = await listen.finished;
  expect(stderr).toMatch(
    /^stopped by SIGINT: 2 accepted, 1 unauthorized \(1 signature_missing\), 2 received, 1 signed with a previous secret$/m,
  );
  expect(record("stopped")).toMatchObject({
    counts: { accepted: 2, unauthorized: 1, received: 2 },
    reasons: { unauthorized: { signature_missing: 1 } },
    secrets: { current: 1, previous: 1 },
    strayErrors: 0,
  });
});

it("listen reaches its goal although a delivery cannot be saved", async () => {
  const listen = await listening(["--count", "1", "--save-dir", "saved"]);
  rmSync(join(listen.cwd, "saved"), { recursive: true });
  await runCli(["trigger", "lead.created", "--url", listen.url], { cwd: listen.cwd });
  expect((await listen.finished).code).toBe(0);
  expect(listen.now().stderr).toContain("could not save a delivery");
});

it("listen reports a taken port and exits with 5", async () => {
  const { url } = await listening();
  const run = await runCli(["listen", "--port", new URL(url).port]);
  expect(run.code).toBe(5);
  expect(run.stderr).toContain("in use");
});

it("a new inbox is named beside its path, and an existing one is not called new", async () => {
  const cwd = tempFolder();
  const first = await listening([], cwd);
  expect(first.now().stderr).toMatch(/^hookporter .*\n\n/);
  expect(first.now().stderr).toMatch(/^ {2}Inbox {6}\S+inbox\.db, new and empty$/m);
  first.signal("SIGINT");
  await first.finished;
  expect((await listening([], cwd)).now().stderr).toMatch(/^ {2}Inbox {6}\S+inbox\.db$/m);
});

it("the inspector opens, on a free port if its own is taken, and not with --no-inspect", async () => {
  const { records, now } = await listening();
  const address = String(records("ready")[0]?.inspector);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{22}$/);
  expect(now().stderr).toContain(address);
  const token = address.replace(/.*=/, "");
  const status = await fetch(new URL("/api/status", address), {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await status.json()).toMatchObject({
    endpoint: records("ready")[0]?.url,
    handlers: null,
    forwards: [],
  });
  const taken = await runCli(["listen", "--port", "0", "--inspect-port", new URL(address).port]);
  expect(taken.code).toBe(5);
  expect(taken.stderr).toContain("--inspect-port");
  const without = await listening(["--no-inspect"]);
  expect(without.records("ready")).toMatchObject([{ inspector: null }]);
  const cwd = tempFolder();
  writeFileSync(join(cwd, "hookporter.config.json"), '{ "inspect": false }');
  expect((await listening([], cwd)).records("ready")).toMatchObject([{ inspector: null }]);
  expect((await listening(["--inspect"], cwd)).records("ready")[0]?.inspector).toMatch(/^http/);
});

it("a token of an earlier run in the folder is still valid, until its file is removed", async () => {
  const cwd = tempFolder();
  const flags = ["HOOKPORTER_INSPECT_HOST=devbox.test"];
  const first = await listening(flags, cwd);
  const inspectorOf = ({ records }: typeof first) =>
    new URL(String(records("ready")[0]?.inspector));
  const token = inspectorOf(first).hash.replace("#token=", "");
  const status = async (run: typeof first) =>
    (
      await fetch(new URL("/api/status", inspectorOf(run)), {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;
  expect(await status(first)).toBe(200);
  const file = join(cwd, ".hookporter", "inspector-tokens");
  expect(readFileSync(file, "utf8")).not.toContain(token);
  expect(await status(await listening([], cwd))).toBe(200);
  rmSync(file);
  expect(await status(await listening([], cwd))).toBe(401);
  const wrong = await runCli(["listen", "--port", "0", "HOOKPORTER_INSPECT_HOST=*.test"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("without wildcards")]);
});
