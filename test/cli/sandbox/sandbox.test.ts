import { expect, it } from "vitest";
import { KEY, until } from "../../service/sandbox/open.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { listening, started } from "../open-listen.ts";

/** Starts a sandbox, which ends with the test. */
const sandbox = (...argv: string[]) => started(["sandbox", "--port", "0", ...argv], "sandbox");

/** Posts to one of the sandbox's own routes. */
async function post(sandboxUrl: unknown, path: string, body: object): Promise<void> {
  const response = await fetch(new URL(path, String(sandboxUrl)), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

it("sandbox prints its address, shows what happens, and stops with a count", async () => {
  const argv = ["--seed", "7", "--properties", "3"];
  const { first: ready, records, signal, finished, now } = await sandbox(...argv);
  expect(ready).toMatchObject({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    chaos: {},
    targetHosts: [],
  });
  const url = String(ready.url);
  const env = {
    HOOKPORTER_API_KEY: KEY,
    HOOKPORTER_BASE_URL: url,
    HOOKPORTER_SECRET: "a secret that is long enough",
  };
  const listed = await runCli(["properties", "--json"], { env });
  expect(listed.records.filter(({ type }) => type === "property")).toHaveLength(3);
  const subscribe = ["subscribe", "http://127.0.0.1:1/webhooks", "--events", "lead.*"];
  expect((await runCli(subscribe, { env })).code).toBe(0);
  await post(url, "/_sandbox/events", { event: "lead.created" });
  await until(() => expect(records("outgoing")).toHaveLength(1));
  expect(records("request").map(({ method, target, status }) => [method, target, status])).toEqual([
    ["GET", "/v1/properties", 200],
    ["POST", "/v1/webhooks", 200],
    ["POST", "/_sandbox/events", 200],
  ]);
  expect(records("registration")).toMatchObject([
    { change: "created", events: ["lead.created"], signed: true },
  ]);
  const outgoing = { event: "lead.created", attempt: 1, status: null, error: expect.any(String) };
  expect(records("outgoing")).toMatchObject([{ ...outgoing, state: "waiting", chaos: [] }]);
  signal("SIGINT");
  expect((await finished).code).toBe(0);
  const counts = { answered: 3, subscribed: 1, attempted: 1 };
  expect(records("stopped")).toMatchObject([{ exitCode: 0, counts }]);
  expect(now().stdout + now().stderr).not.toContain(KEY);
});

it("sandbox shows the same to people on standard output, with messages on standard error", async () => {
  const command = startCli(
    ["sandbox", "--port", "0", "--outage", "1h", "--duplicates", "1", "HOOKPORTER_DELAY=0..1ms"],
    {},
  );
  const [base = ""] = await until(() => {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(command.now().stderr);
    if (found === null) throw new Error("not ready");
    return found;
  });
  expect(command.now().stdout).toBe("");
  await until(() => expect(command.now().stderr).toContain("trigger"));
  const body = JSON.stringify({ url: "http://127.0.0.1:1/x", events: ["lead.created"] });
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  await fetch(new URL("/v1/webhooks", base), { method: "POST", headers, body });
  await post(base, "/_sandbox/events", { event: "lead.created" });
  await until(() => expect(command.now().stdout.match(/no answer/g)).toHaveLength(2));
  const { stdout, stderr } = command.now();
  for (const part of ["POST /v1/webhooks  200", "unsigned", "outage", "retrying in"])
    expect(stdout).toContain(part);
  expect(stdout).toContain("copy of del_sandbox_1");
  expect(stderr).toContain("chaos: outage 60 min, duplicates 1, delay 0 ms to 1 ms");
  command.signal("SIGTERM");
  expect((await command.finished).code).toBe(0);
});

it("sandbox passes each of its flags on", async () => {
  const { first: ready, records } = await sandbox(
    "HOOKPORTER_RATE_LIMIT=1",
    "HOOKPORTER_ATTEMPTS=4",
    "HOOKPORTER_RETRY_DELAY=1ms",
    "HOOKPORTER_ANSWER_TIMEOUT=30s",
    "HOOKPORTER_TARGET_HOSTS=*.tunnel.example",
    "HOOKPORTER_SIGNATURE_HEADER=X-Own",
    "HOOKPORTER_DELAY=1ms..2ms",
    "--wrong-signature",
    "1",
  );
  expect(ready).toMatchObject({
    targetHosts: ["*.tunnel.example"],
    chaos: { delay: [1, 2], wrongSignature: 1 },
  });
  const headers = { authorization: `Bearer ${KEY}` };
  const ask = (query: string) =>
    fetch(new URL(`/v1/properties?${query}`, String(ready.url)), { headers });
  const page = (await (await ask("page=2&per_page=1&fields=id,rent")).json()) as {
    data: object[];
    meta: object;
  };
  expect(page.meta).toMatchObject({ page: 2, per_page: 1 });
  expect(Object.keys(page.data[0] ?? {})).toEqual(["id", "rent"]);
  expect((await ask("")).status).toBe(429);
  const receiver = await listening(["HOOKPORTER_SIGNATURE_HEADER=x-own"]);
  const other = { authorization: "Bearer sk_test_another", "content-type": "application/json" };
  const body = JSON.stringify({
    url: receiver.url,
    events: ["lead.created"],
    secret: "s".repeat(20),
  });
  await fetch(new URL("/v1/webhooks", String(ready.url)), { method: "POST", headers: other, body });
  await post(ready.url, "/_sandbox/events", { event: "lead.created" });
  await until(() =>
    expect(records("outgoing").at(-1)).toMatchObject({ state: "failed", attempt: 4 }),
  );
  // They were signed under the same header name.
  const refused = Array(4).fill({ verdict: "unauthorized", reason: "signature_mismatch" });
  await until(() => expect(receiver.records("delivery")).toMatchObject(refused));
});

it("`trigger` can cause events in the sandbox, and its port is its own: another sandbox exits with 5", async () => {
  const { first: ready, records } = await sandbox();
  const cwd = tempFolder();
  const base = String(ready.url);
  const receiver = await listening(["--subscribe", "--base-url", base], cwd, {
    HOOKPORTER_API_KEY: KEY,
  });
  await until(() => expect(records("registration")).toHaveLength(1));
  const { port } = new URL(base);
  const sending = ["trigger", "payment.received", "--set", "data.amount=1.50"];
  const run = await runCli([...sending, "--url", `${port}/_sandbox/events`], { cwd });
  expect(run.code).toBe(0);
  const accepted = [{ verdict: "accepted", secret: "current" }];
  await until(() => expect(receiver.records("delivery")).toMatchObject(accepted));
  expect((await runCli(["sandbox", "--port", port])).code).toBe(5);
});
