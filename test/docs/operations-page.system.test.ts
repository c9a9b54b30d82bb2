import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, eventKinds } from "../../src/entries/index.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { ALERT_RULES } from "../monitoring/alert-rules.ts";
import { keptLog, SECRET, until } from "../receiver/sample.ts";
import { listenNode } from "../receiver/wire.ts";
import { codeOf, quoted, readPage, root, rowsOf, sectionOf, withoutCode } from "./markdown.ts";
import { setScene } from "./operations-scene.ts";
import { playCommands } from "./play-commands.ts";

const page = readPage("docs/operations.md");

/** The page without what incidents.system.test.ts plays. */
const withoutIncidents = page
  .split(/^(?=### )/m)
  .filter((part) => !/^### (?:Everything is 401|Dead letters|Disk full)\n/.test(part))
  .join("");

/** The lines of all blocks of a language, without their indentation. */
const linesOf = (language: string, text = page) =>
  codeOf(text.replaceAll(/^ {2,3}(?=\S)/gm, ""), language).flatMap((code) =>
    code.trim().split("\n"),
  );

it("the page's commands run in its order, and print what it shows", {
  timeout: 60_000,
}, async () => {
  const cwd = tempFolder();
  const inbox = join(cwd, "inbox.db");
  await setScene(inbox);
  const receiver = createReceiver({ secret: [SECRET, `${SECRET}-previous`], inbox: "memory:" });
  await receiver.start();
  onTestFinished(() => receiver.close());
  const url = await listenNode(nodeReceiver(receiver));
  const env = {
    HOOKPORTER_INBOX: inbox,
    HOOKPORTER_SECRET: SECRET,
    HOOKPORTER_SECRET_PREVIOUS: `${SECRET}-previous`,
  };
  const names = { "https://app.example/webhooks": url.href };
  const runs = /^(?:npx hookporter|curl) /;
  expect(await playCommands(withoutIncidents, { cwd, env, names, runs })).toBeGreaterThan(12);
  expect(linesOf("text", withoutIncidents).length).toBeGreaterThan(10);
});

it("the log's line about a full disk is the one that is written", () => {
  const [line = ""] = linesOf("text").filter((text) => text.includes("disk is full"));
  const [message = "", error = ""] = line.split(" error=");
  expect(readPage("src/receiver/store-health.ts")).toContain(`"${message}"`);
  expect(readPage("src/inbox/sqlite/errors.ts")).toContain("free some disk space");
  expect(error).toContain("free some disk space");
});

it("the address answers without a signature as the page says", async () => {
  const receiver = createReceiver({ secret: SECRET, inbox: "memory:", log: keptLog().log });
  await receiver.start();
  const url = await listenNode(nodeReceiver(receiver));
  const status = async (path: string, method = "POST") =>
    (await fetch(new URL(path, url), { method })).status;
  expect(await status("/webhooks")).toBe(401);
  expect(await status("/other")).toBe(404);
  expect(await status("/webhooks", "GET")).toBe(405);
  await receiver.close();
  expect(await status("/webhooks")).toBe(503);
});

it("the page's server finishes a running handler on SIGTERM, and exits with 0", {
  timeout: 60_000,
}, async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "hookporter"), "junction");
  const [server = ""] = codeOf(page, "js");
  const log = join(folder, "log.txt");
  const handlers = `import { appendFileSync } from "node:fs";
    import { setTimeout as wait } from "node:timers/promises";
    const log = (text) => appendFileSync(${JSON.stringify(log)}, text);
    export default { "*": async () => { log("began "); await wait(300); log("ended"); } };`;
  for (const [name, text] of Object.entries({
    "package.json": '{ "type": "module" }',
    "server.js": server,
    "handlers.js": handlers,
    "log.txt": "",
  }))
    writeFileSync(join(folder, name), text);
  const port = await freePort();
  const inbox = join(folder, "inbox.db");
  const own = {
    HOOKPORTER_SECRET: SECRET,
    HOOKPORTER_INBOX: inbox,
    PORT: String(port),
    HOST: "127.0.0.1",
  };
  const child = spawn(process.execPath, ["--no-warnings", "server.js"], {
    cwd: folder,
    env: { ...process.env, ...own },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const base = `http://127.0.0.1:${port}`;
  const isReady = async () => expect((await fetch(`${base}/ready`)).status).toBe(200);
  await vi.waitFor(isReady, { timeout: 20_000, interval: 50 }); // a busy machine starts Node slowly
  const request = signedRequest(sampleEvent("payment.received"), { secret: SECRET });
  expect((await fetch(`${base}/webhooks`, request)).status).toBe(200);
  await until(() => expect(readFileSync(log, "utf8")).toBe("began "));
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  expect(readFileSync(log, "utf8")).toBe("began ended");
  const { records } = await runCli(["events", "list", "--json", "--inbox", inbox]);
  expect(records).toMatchObject([{ state: "handled", attempts: 1 }]);
});

it("`drainTimeout` and the pause before it fit into the time that each platform gives", () => {
  const rows = rowsOf(sectionOf(page, "Graceful shutdown"));
  expect(rows.length).toBe(3);
  for (const [platform = "", kill = "", drain = ""] of rows) {
    const pause = platform === "Kubernetes" ? 5 : 0;
    const seconds = Number(drain.replace(" ", "")) / 1000;
    expect(seconds + pause, platform).toBeLessThan(Number.parseInt(kill, 10));
  }
  expect(codeOf(page, "js")[0]).toContain("drainTimeout: 7_000");
});

it("alerts are about metrics that there are", () => {
  const metrics = quoted(withoutCode(readPage("docs/metrics.md")));
  const used = ALERT_RULES.flatMap(({ expr }) =>
    [...expr.matchAll(/\bhookporter_\w+/g)].map(([name]) => name),
  );
  expect(used.length).toBeGreaterThan(7);
  expect(used.filter((name) => !metrics.includes(name.replace(/_bucket$/, "")))).toEqual([]);
});

it("an entry of an inbox file takes as many bytes as the page says", {
  timeout: 60_000,
}, async () => {
  const [withDelivery, without] = rowsOf(sectionOf(page, "Growth and pruning")).map(
    ([, file = ""]) => Number(file.replace(" ", "")),
  );
  const inbox = join(tempFolder(), "inbox.db");
  const count = 1500;
  await fill(inbox, count);
  const size = () => statSync(inbox).size / count;
  expect(Math.abs(size() / Number(withDelivery) - 1)).toBeLessThan(0.15);
  await until(async () => {
    await runCli(["events", "prune", "--deliveries-older-than", "1s", "--inbox", inbox]);
    expect(Math.abs(size() / Number(without) - 1)).toBeLessThan(0.2);
  });
});

/** Keeps and handles sample events, with the headers of a usual sender and a proxy. */
async function fill(inbox: string, count: number): Promise<void> {
  const receiver = createReceiver({
    secret: SECRET,
    inbox,
    log: keptLog().log,
    concurrency: 100,
    handlers: { "*": () => {} },
  });
  await receiver.start();
  const start = Date.now();
  const deliveries = Array.from({ length: count }, (_, index) => {
    const event = sampleEvent(eventKinds[index % 12] ?? "payment.received", {
      timestamp: start - count + index,
    });
    const { headers, body } = signedRequest(event, { secret: SECRET });
    const usual = {
      host: "receiver.example.com",
      "user-agent": "webhooks/1.0",
      accept: "*/*",
      "content-length": "270",
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-proto": "https",
    };
    return {
      method: "POST",
      target: "/webhooks",
      headers: { ...usual, ...headers },
      body,
      receivedAt: start,
    };
  });
  await Promise.all(deliveries.map((delivery) => receiver.accept(delivery)));
  await until(async () => expect(await inboxOf(receiver).nextRunAt()).toBe(undefined));
  await receiver.close();
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
