import { expect, it, vi } from "vitest";
import { sign } from "../../../src/entries/index.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { failure, KEY, openService } from "../../client/service.ts";
import { closedPort } from "../../tunnel/machine.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_API_KEY: KEY };

it("--subscribe subscribes at a service on this machine, which can deliver at once", async () => {
  const service = await openService();
  const cwd = tempFolder();
  const argv = [
    "listen",
    "--port",
    "0",
    "--subscribe",
    "--events",
    "lead.*",
    "--count",
    "1",
    "--base-url",
    service.url,
    "--json",
  ];
  const listening = startCli(argv, { cwd, env });
  await vi.waitFor(() => expect(listening.now().stdout).toContain('"subscription"'), 10_000);
  const [subscription] = service.created;
  expect(subscription?.events).toEqual(["lead.created"]);
  const [secret] = readSecrets(subscription?.secret);
  const webhook = { id: "wh_1", url: subscription?.url };
  const body = JSON.stringify({
    event: "lead.created",
    timestamp: new Date().toISOString(),
    data: {},
    webhook,
  });
  const signature = secret === undefined ? "" : sign(Buffer.from(body), secret.key);
  const headers = { "x-service-signature": signature };
  expect((await fetch(subscription?.url ?? "", { method: "POST", headers, body })).status).toBe(
    200,
  );
  const run = await listening.finished;
  expect(run.code).toBe(0);
  expect(run.records).toContainEqual(
    expect.objectContaining({ type: "subscription", id: "wh_1", created: true }),
  );
});

it("--subscribe uses an access token with --access-token-env", async () => {
  const service = await openService({ key: "oauth-token" });
  const argv = ["listen", "--port", "0", "--subscribe", "--base-url", service.url, "--json"];
  const listening = startCli([...argv, "HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN"], {
    env: { TOKEN: "oauth-token" },
  });
  await vi.waitFor(() => expect(listening.now().stdout).toContain('"subscription"'), 10_000);
  expect(service.created).toHaveLength(1);
  listening.signal("SIGINT");
  expect((await listening.finished).code).toBe(0);
});

it("--subscribe does not subscribe again at the same address", async () => {
  const service = await openService();
  const cwd = tempFolder();
  const start = (port: string) =>
    startCli(["listen", "--port", port, "--subscribe", "--base-url", service.url, "--json"], {
      cwd,
      env,
    });
  const shown = ({ now }: ReturnType<typeof start>) =>
    now().records.find(({ type }) => type === "subscription");
  const first = start("0");
  await vi.waitFor(() => expect(shown(first)).toBeDefined(), 10_000);
  first.signal("SIGINT");
  expect((await first.finished).code).toBe(0);
  const second = start(new URL(service.created[0]?.url ?? "").port);
  await vi.waitFor(
    () => expect(shown(second)).toMatchObject({ id: "wh_1", created: false }),
    10_000,
  );
  second.signal("SIGINT");
  expect((await second.finished).code).toBe(0);
  expect(service.created).toHaveLength(1);
});

it("listen ends with the service's error if the subscription is refused", async () => {
  const service = await openService();
  service.next(failure(401));
  const run = await runCli(
    ["listen", "--port", "0", "--subscribe", "--base-url", service.url, "--json"],
    {
      env,
    },
  );
  expect(run.code).toBe(3);
  expect(run.records.at(-1)).toMatchObject({ type: "error", code: "service_unauthorized" });
});

/** `listen --subscribe` in this process. */
function subscribing(baseUrl: string, more: readonly string[] = [], cwd = tempFolder()) {
  const argv = ["listen", "--port", "0", "--subscribe", "--base-url", baseUrl, "--json", ...more];
  const listening = startCli(argv, { cwd, env });
  const records = (type: string) =>
    listening.now().records.filter((record) => record.type === type);
  const until = (type: string) =>
    vi.waitFor(() => {
      const [found] = records(type);
      if (found === undefined) throw new Error(`no ${type}: ${listening.now().stderr}`);
      return found;
    }, 20_000);
  return { ...listening, records, until, cwd };
}

it("listen waits for a service that is not up yet, and is not ready before it is", async () => {
  const port = await closedPort();
  const base = `http://127.0.0.1:${port}`;
  const { until, records, now, signal, finished } = subscribing(base, ["--health-port", "0"]);
  expect(await until("subscribing")).toMatchObject({
    code: "service_unreachable",
    delay: expect.any(Number),
  });
  const { health } = await until("ready");
  const check = async () => (await fetch(`${health}readyz`)).json();
  expect(await check()).toMatchObject({
    ready: false,
    checks: { subscription: false, receiver: true },
  });
  const service = await openService({ port });
  expect(await until("subscription")).toMatchObject({ id: "wh_1", created: true });
  expect(service.created).toHaveLength(1);
  await vi.waitFor(async () => expect(await check()).toMatchObject({ ready: true }));
  // said once, however often it tried
  expect(now().stderr.match(/no deliveries will arrive/g)).toHaveLength(1);
  expect(records("error")).toEqual([]);
  signal("SIGINT");
  expect((await finished).code).toBe(0);
});

it("listen waits as long as a service asks for that refuses for its rate limit", async () => {
  const service = await openService();
  service.next(failure(429, {}, { "retry-after": "120" }));
  const { until, signal, finished } = subscribing(service.url);
  const waiting = await until("subscribing");
  expect(waiting.code).toBe("service_rate_limited");
  expect(Number(waiting.delay)).toBeGreaterThanOrEqual(120_000);
  signal("SIGINT");
  expect((await finished).code).toBe(0);
  expect(service.created).toEqual([]);
});

it("listen that waits for a service can be stopped at once", async () => {
  const { until, signal, finished } = subscribing(`http://127.0.0.1:${await closedPort()}`);
  await until("subscribing");
  signal("SIGINT");
  expect((await finished).code).toBe(0);
});

it("a subscription that may exist is reported, and not created again", async () => {
  const service = await openService();
  service.next((response) => void response.destroy());
  const first = subscribing(service.url);
  expect(await first.until("error")).toMatchObject({
    code: "service_unreachable",
    mayHaveHappened: true,
  });
  await first.until("ready");
  first.signal("SIGINT");
  const run = await first.finished;
  expect(run.code).toBe(0);
  expect(run.stderr).toContain("may exist all the same");
  expect(service.requests.filter(({ path }) => path === "/v1/webhooks")).toHaveLength(1);
});

it("listen can be stopped while the service is slow", async () => {
  const service = await openService();
  service.next(() => {});
  const listening = startCli(
    ["listen", "--port", "0", "--subscribe", "--base-url", service.url, "--json"],
    {
      env,
    },
  );
  await vi.waitFor(() => expect(service.requests).toHaveLength(1), 10_000);
  listening.signal("SIGINT");
  const run = await listening.finished;
  expect(run.code).toBe(0);
  expect(run.records.at(-1)).toMatchObject({ type: "stopped" });
});

it.each([
  ["no address of the service", ["--subscribe"], 2],
  ["no key", ["--subscribe", "--base-url", "http://127.0.0.1:1", "HOOKPORTER_API_KEY_ENV=NONE"], 3],
  ["an address of the service without --subscribe", ["--base-url", "http://127.0.0.1:1"], 2],
  ["--live without --subscribe", ["--live"], 2],
])("%s is refused before listen listens", async (_, argv, code) => {
  const run = await runCli(["listen", "--port", "0", "--json", ...argv], { env });
  expect(run.code).toBe(code);
  expect(run.stdout).not.toContain('"ready"');
});

it("settings of the service for other commands are ignored", async () => {
  const settings = { ...env, HOOKPORTER_BASE_URL: "https://api.example", HOOKPORTER_LIVE: "true" };
  const listening = startCli(["listen", "--port", "0", "--json"], { env: settings });
  await vi.waitFor(() => expect(listening.now().stdout).toContain('"ready"'), 10_000);
  listening.signal("SIGINT");
  expect((await listening.finished).code).toBe(0);
});
