import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nowEnvelope } from "../../hostile/cli.ts";
import { KEY, openSandbox, SECRET, until } from "../../service/sandbox/open.ts";
import { openServer } from "../../service/stream/open.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

/** Starts `listen --stream` and waits until it is ready; it ends with the test. */
async function streaming(stream: string, ...argv: string[]) {
  const env = { HOOKPORTER_API_KEY: KEY, HOOKPORTER_SECRET: SECRET };
  const listen = await listening(["--stream", stream, ...argv], tempFolder(), env);
  const [ready = {}] = listen.records("ready");
  return { ...listen, ready };
}

it("deliveries of a stream are taken and marked as unsigned, though nothing can reach listen", async () => {
  const { sandbox, settled } = await openSandbox();
  const argv = ["--save-dir", "saved", "--forward-to", "1/webhooks"];
  const { records, ready, cwd, now, until } = await streaming(sandbox.url.port, ...argv);
  const { href: target } = sandbox.streamUrl;
  expect(ready.stream).toBe(target);
  expect(records("stream")).toMatchObject([{ state: "open", url: target }]);
  expect(now().stderr).toMatch(/^warning: .*without a signature/m);
  sandbox.emit("payment.received");
  expect(await settled()).toMatchObject([{ state: "delivered", attempts: [{ status: 200 }] }]);
  await until("attempt", [{}]);
  expect(records("delivery")).toMatchObject([
    { verdict: "accepted", method: "STREAM", target, channel: "stream", secret: null },
  ]);
  const [file = ""] = readdirSync(join(cwd, "saved"));
  const saved = JSON.parse(readFileSync(join(cwd, "saved", file), "utf8"));
  expect(saved).toMatchObject({ method: "STREAM", target, headers: {} });
  expect(now().stdout + now().stderr).not.toContain(KEY);
});

it("an event is handled once, whether it arrives over the stream, signed, or both", async () => {
  const { sandbox, subscribe, settled } = await openSandbox({ chaos: { duplicates: 1 } });
  const { records, ready } = await streaming(sandbox.streamUrl.href);
  await subscribe(String(ready.url), ["lead.created"]);
  sandbox.emit("lead.created");
  expect(await settled()).toHaveLength(4);
  await until(() => expect(records("delivery")).toHaveLength(4));
  const verdicts = records("delivery").map(
    ({ verdict, channel }) => `${verdict} ${channel ?? "signed"}`,
  );
  expect(verdicts.filter((verdict) => verdict.startsWith("accepted"))).toHaveLength(1);
  expect(verdicts.filter((verdict) => verdict.endsWith("stream"))).toHaveLength(2);
});

it("a message that is not an envelope is kept as a dead letter, and answered", async () => {
  const { sandbox, settled } = await openSandbox({
    retry: { attempts: 1 },
    clock: () => Date.UTC(2001, 0, 1),
  });
  const { records } = await streaming(sandbox.url.port);
  sandbox.emit("lead.created");
  expect(await settled()).toMatchObject([{ state: "failed", attempts: [{ status: 400 }] }]);
  expect(records("delivery")).toMatchObject([
    { verdict: "rejected", reason: "too_old", channel: "stream" },
  ]);
});

it("a message that is too large is refused alone, with the status of HTTP, and does not block the next", async () => {
  const server = await openServer();
  const { records } = await streaming(server.url.href, "--save-dir", "saved");
  server.last().send(Buffer.alloc(2 * 1024 * 1024, "x"));
  server.last().send(JSON.stringify(nowEnvelope()));
  await until(() => expect(server.answers).toEqual(['{"status":413}', '{"status":200}']));
  expect(records("delivery")).toMatchObject([
    { verdict: "refused", reason: "too_large", bytes: 2 * 1024 * 1024 },
    { verdict: "accepted", channel: "stream" },
  ]);
  expect(server.sockets).toHaveLength(1);
  expect(records("stream")).toHaveLength(1); // it was never closed
});

it("listen is ready before an unavailable stream, as /readyz says, and opens it later", async () => {
  const first = await openSandbox();
  const port = Number(first.sandbox.url.port);
  await first.sandbox.close();
  const { records, ready } = await streaming(String(port), "--health-port", "0");
  const readyz = async () => {
    const response = await fetch(new URL("/readyz", String(ready.health)));
    return [response.status, await response.json()];
  };
  expect(records("stream")).toMatchObject([{ state: "waiting", delay: expect.any(Number) }]);
  expect(await readyz()).toMatchObject([503, { checks: { stream: false } }]);
  const { sandbox } = await openSandbox({ port });
  await until(() => expect(records("stream").at(-1)).toMatchObject({ state: "open" }));
  expect(await readyz()).toMatchObject([200, { checks: { stream: true } }]);
  sandbox.emit("lead.created");
  await until(() => expect(records("delivery")).toMatchObject([{ verdict: "accepted" }]));
  await sandbox.close();
  await until(async () => expect(await readyz()).toMatchObject([503, {}]));
});

it("listen ends if the stream refuses its key, at the start or later", async () => {
  const first = await openSandbox({ apiKey: KEY });
  const env = { HOOKPORTER_API_KEY: "sk_test_another", HOOKPORTER_SECRET: SECRET };
  const port = first.sandbox.url.port;
  const refused = await runCli(["listen", "--port", "0", "--stream", port], { env });
  expect(refused.code).toBe(3);
  const { finished, records } = await streaming(port);
  await first.sandbox.close();
  await openSandbox({ port: Number(port), apiKey: "sk_test_new" });
  expect((await finished).code).toBe(3);
  expect(records("stopped")).toMatchObject([{ exitCode: 3 }]);
});
