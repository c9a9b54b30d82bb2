import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { nowEnvelope } from "../../hostile/cli.ts";
import { childrenOf, shownOf } from "../../relay/tunnel/processes.ts";
import { failure, KEY, openService, type StandIn } from "../../service/client/service.ts";
import { tempFolder } from "../fake-io.ts";
import { listenThrough, openEdge } from "../listen-through-edge.ts";
import { remembered } from "../subscribe.ts";

const PATIENCE = { timeout: 15_000, interval: 10 };

/** `listen --tunnel … --subscribe` in a folder that contains the key. */
function subscribing(
  edge: Parameters<typeof listenThrough>[0],
  service: StandIn,
  cwd = tempFolder(),
) {
  writeFileSync(join(cwd, ".env"), `HOOKPORTER_API_KEY=${KEY}\n`);
  const listening = listenThrough(edge, ["--subscribe", "--base-url", service.url], cwd);
  const subscriptions = (count: number) =>
    vi.waitFor(() => {
      const found = listening.records("subscription");
      expect(found.length, listening.output()).toBe(count);
      return found;
    }, PATIENCE);
  return { ...listening, subscriptions };
}

it("listen subscribes at the public address once it is online, and deliveries arrive there", async () => {
  const edge = await openEdge();
  const service = await openService();
  const { ready, subscriptions, output } = subscribing(edge, service);
  const { publicUrl, post } = await ready();
  expect(await subscriptions(1)).toMatchObject([
    { id: "wh_1", url: publicUrl.href, tunnel: "ngrok", created: true },
  ]);
  expect(service.created).toMatchObject([{ url: publicUrl.href }]);
  expect((await post(nowEnvelope())).status).toBe(200);
  expect(output()).not.toContain(KEY);
});

it("a key or token is withheld from the tunnel's process, whatever variable holds it, even if it is not used", async () => {
  const edge = await openEdge();
  const service = await openService();
  const env = {
    KEY,
    TOKEN: "oauth-token",
    HOOKPORTER_API_KEY_ENV: "KEY",
    HOOKPORTER_ACCESS_TOKEN_ENV: "TOKEN",
  };
  const argv = ["--subscribe", "--base-url", service.url, "HOOKPORTER_API_KEY_ENV=MY_KEY"];
  for (const { ready, child } of [
    listenThrough(edge, argv, tempFolder(), { MY_KEY: KEY }),
    listenThrough(edge, [], tempFolder(), env),
  ]) {
    await ready();
    const [tunnel = 0] = childrenOf(child.pid);
    expect(shownOf(child.pid ?? 0)).toContain(KEY);
    expect(shownOf(tunnel)).toContain("tunnel-child");
    for (const text of [KEY, "oauth-token"]) expect(shownOf(tunnel)).not.toContain(text);
  }
});

it("listen subscribes a changed address, and names the old subscription", async () => {
  const edge = await openEdge({ newUrls: true });
  const service = await openService();
  const { subscriptions, child, output, cwd } = subscribing(edge, service);
  await subscriptions(1);
  process.kill(childrenOf(child.pid)[0] ?? 0, "SIGKILL");
  const [first, second] = await subscriptions(2);
  expect(second).toMatchObject({
    id: "wh_2",
    created: true,
    others: [{ id: "wh_1", url: first?.url }],
  });
  expect(second?.url).not.toBe(first?.url);
  await vi.waitFor(
    () => expect(output()).toMatch(/^warning: 1 earlier subscription .*: wh_1; /m),
    PATIENCE,
  );
  expect(remembered(cwd)).toHaveLength(2);
});

it("listen tells a service that was away about an address that changed meanwhile", async () => {
  const edge = await openEdge({ newUrls: true });
  const service = await openService();
  const { subscriptions, child, until, records, output, ready } = subscribing(edge, service);
  await ready();
  await subscriptions(1);
  await service.stop();
  process.kill(childrenOf(child.pid)[0] ?? 0, "SIGKILL");
  const [, changed] = await until("online", 2);
  await vi.waitFor(() => expect(records("subscribing").length).toBeGreaterThan(0), PATIENCE);
  expect(records("subscribing")[0]).toMatchObject({
    url: changed?.url,
    code: "service_unreachable",
  });
  await vi.waitFor(() => expect(output()).toContain("no deliveries will arrive"), PATIENCE);
  expect(output()).not.toContain("change it at the service");
  const again = await openService({ port: Number(new URL(service.url).port) });
  const [, second] = await subscriptions(2);
  expect(second).toMatchObject({ url: changed?.url, created: true });
  expect(again.created).toMatchObject([{ url: changed?.url }]);
  expect(records("error")).toEqual([]);
});

it("listen continues if the service refuses the changed address, and says what to do", async () => {
  const edge = await openEdge({ newUrls: true });
  const service = await openService();
  const { subscriptions, child, until, records, output, ready } = subscribing(edge, service);
  await ready();
  await subscriptions(1);
  service.next(failure(404), failure(400)); // the first answers the request meant for a sandbox
  process.kill(childrenOf(child.pid)[0] ?? 0, "SIGKILL");
  const [, changed] = await until("online", 2);
  await vi.waitFor(
    () => expect(records("error")).toMatchObject([{ code: "service_refused" }]),
    PATIENCE,
  );
  await vi.waitFor(
    () => expect(output()).toContain(`hookporter subscribe ${changed?.url}`),
    PATIENCE,
  );
  expect(child.exitCode).toBeNull();
});
