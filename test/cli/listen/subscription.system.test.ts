import { expect, it, vi } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { Subscribing } from "../../../src/cli/listen/subscribing.ts";
import type { FoundSecrets } from "../../../src/cli/secrets/secret.ts";
import { nowEnvelope } from "../../hostile/cli.ts";
import { posting } from "../../receiver/open.ts";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { clientOf, failure, KEY, openService } from "../../service/client/service.ts";
import { fakeIo, startCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_API_KEY: KEY };
const SECRET = "a secret that is long enough";

/** `listen --subscribe` in this process. */
function subscribing(baseUrl: string, more: readonly string[] = [], given: object = {}) {
  const argv = ["listen", "--subscribe", "--base-url", baseUrl, "--json", ...more];
  const listen = startCli(more.includes("--port") ? argv : [...argv, "--port", "0"], {
    cwd: tempFolder(),
    env,
    ...given,
  });
  const records = (type: string) => listen.now().records.filter((record) => record.type === type);
  const until = (type: string) =>
    vi.waitFor(() => {
      const [found] = records(type);
      if (found === undefined) throw new Error(`no ${type}: ${listen.now().stderr}`);
      return found;
    }, 20_000);
  /** Stops it as Ctrl-C would; it ends with 0. */
  const stop = async () => {
    listen.signal("SIGINT");
    const run = await listen.finished;
    expect(run.code).toBe(0);
    return run;
  };
  return { ...listen, records, until, stop };
}

it("--subscribe subscribes at a service on this machine, which can deliver at once", async () => {
  const service = await openService();
  const argv = ["--events", "payment.*", "--count", "1"];
  const { until, finished } = subscribing(service.url, argv);
  expect(await until("subscription")).toMatchObject({ id: "wh_1", created: true });
  const [subscription] = service.created;
  expect(subscription?.events).toEqual(["payment.received", "payment.overdue"]);
  const { post } = posting(new URL(subscription?.url ?? ""));
  expect((await post(nowEnvelope(), String(subscription?.secret))).status).toBe(200);
  expect((await finished).code).toBe(0);
});

it("--subscribe does not subscribe again at the same address", async () => {
  const service = await openService();
  const cwd = tempFolder();
  const first = subscribing(service.url, [], { cwd });
  await first.until("subscription");
  await first.stop();
  const { port } = new URL(service.created[0]?.url ?? "");
  const second = subscribing(service.url, ["--port", port], { cwd });
  expect(await second.until("subscription")).toMatchObject({ id: "wh_1", created: false });
  await second.stop();
  expect(service.created).toHaveLength(1);
});

it("listen ends with the service's error if the subscription is refused", async () => {
  const service = await openService();
  service.next(failure(401));
  const { code, records } = await subscribing(service.url).finished;
  expect(code).toBe(3);
  expect(records.at(-1)).toMatchObject({ type: "error", code: "service_unauthorized" });
});

it("listen waits for a service that is not up yet, and is not ready before it is", async () => {
  const port = await closedPort();
  const base = `http://127.0.0.1:${port}`;
  const { until, records, now, stop } = subscribing(base, ["--health-port", "0"]);
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
  await stop();
});

it("listen that waits for a service can be stopped at once: for one that refuses for its rate limit, is away, or is slow", async () => {
  const service = await openService();
  service.next(failure(429, {}, { "retry-after": "120" }));
  const limited = subscribing(service.url);
  const waiting = await limited.until("subscribing");
  expect(waiting.code).toBe("service_rate_limited");
  expect(Number(waiting.delay)).toBeGreaterThanOrEqual(120_000);
  await limited.stop();
  const away = subscribing(`http://127.0.0.1:${await closedPort()}`);
  await away.until("subscribing");
  await away.stop();
  service.next(() => {});
  const slow = subscribing(service.url);
  await vi.waitFor(() => expect(service.requests).toHaveLength(2), 20_000);
  expect((await slow.stop()).records.at(-1)).toMatchObject({ type: "stopped" });
  expect(service.created).toEqual([]);
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
  expect((await first.stop()).stderr).toContain("may exist all the same");
  expect(service.requests.filter(({ path }) => path === "/v1/webhooks")).toHaveLength(1);
});

it("of two addresses that a service could not be told about, only the newer one is told later", async () => {
  const port = await closedPort();
  const { io, stderr } = fakeIo({});
  const client = clientOf({ url: `http://127.0.0.1:${port}` });
  const subscriber = new Subscribing(client, undefined, createContext(io));
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const secrets: FoundSecrets = { values: [SECRET], texts: [SECRET], from: "here" };
  const create = (path: string) =>
    subscriber.create({ url: new URL(`http://127.0.0.1:4400/${path}`), secrets }, stopped);
  const older = create("older");
  await vi.waitFor(() => expect(stderr()).toContain("no deliveries will arrive"));
  const newer = create("newer");
  expect(subscriber.known).toBe(false);
  const service = await openService({ port });
  await Promise.all([older, newer]);
  expect(service.created.map(({ url }) => url)).toEqual(["http://127.0.0.1:4400/newer"]);
  expect([subscriber.known, subscriber.waiting]).toEqual([true, false]);
  stop();
});
