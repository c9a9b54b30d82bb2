import { rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  createReceiver,
  type Receiver,
  type ReceiverOptions,
  sign,
} from "../../src/entries/index.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { keptLog, SECRET } from "../receiver/sample.ts";
import { listenNode } from "../receiver/wire.ts";
import { smallDisk } from "../small-disk.ts";
import { readPage } from "./markdown.ts";
import { playCommands } from "./play-commands.ts";

const MINUTE = 60_000;
const COMPACT = Buffer.from('{"event":"payment.received"}');
const NEW_SECRET = `${SECRET}-new`;

/** Plays an incident of the page. */
function play(heading: string, reader: Parameters<typeof playCommands>[1]) {
  const parts = readPage("docs/operations.md").split(/^### /m);
  const part = parts.find((one) => one.startsWith(`${heading}\n`)) ?? "";
  return playCommands(part, reader);
}

/** A receiver at an address that stays when it is restarted. */
async function startService(
  inbox: string,
  options: Partial<ReceiverOptions<Record<never, never>>>,
) {
  const { log, lines } = keptLog();
  let listener: RequestListener = () => {};
  let receiver: Receiver | undefined;
  const start = async (own: Partial<ReceiverOptions<Record<never, never>>> = {}) => {
    await receiver?.close();
    receiver = createReceiver({ secret: SECRET, inbox, log, ...options, ...own } as never);
    await receiver.start();
    listener = nodeReceiver(receiver);
    return receiver;
  };
  onTestFinished(() => receiver?.close());
  await start();
  const url = await listenNode((request, response) => listener(request, response));
  const deliver = async (request: ReturnType<typeof signedRequest>) =>
    (await fetch(url, request)).status;
  const logged = () =>
    lines.map(({ fields, message }) =>
      [
        message,
        ...Object.entries(fields)
          .filter(([, value]) => value !== undefined)
          .map((one) => one.join("=")),
      ].join(" "),
    );
  return {
    url: url.href,
    start,
    deliver,
    logged,
    get receiver() {
      if (receiver === undefined) throw new Error("expected the receiver to run");
      return receiver;
    },
  };
}

/** Different deliveries of a sender. */
function deliveries(many: number, secret = SECRET, ago = 0, filler = "") {
  return Array.from({ length: many }, (_, index) =>
    signedRequest(
      sampleEvent("payment.received", {
        timestamp: Date.now() - ago - many + index,
        data: { note: filler },
      } as never),
      { secret },
    ),
  );
}

/** A receiver notes signatures every ten seconds. */
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 300 });

const stateOf = async (env: Readonly<Record<string, string>>) =>
  (await runCli(["events", "list", "--json", "--limit", "10000"], { env })).records.map(
    ({ state }) => state,
  );

it("the secret was changed at the sender first: all that was refused is there in the end, once", async () => {
  const inbox = join(tempFolder(), "inbox.db");
  const env = { HOOKPORTER_INBOX: inbox, HOOKPORTER_SECRET: SECRET };
  const { url, start, deliver } = await startService(inbox, { handlers: { "*": () => {} } });
  const before = deliveries(3, SECRET, MINUTE);
  const refused = deliveries(5, NEW_SECRET);
  for (const request of before) expect(await deliver(request)).toBe(200);
  for (const request of refused) expect(await deliver(request)).toBe(401);
  const signatures = async () => (await runCli(["doctor", "--report"], { env })).stdout;
  const cwd = tempFolder();
  writeFileSync(join(cwd, "body.json"), COMPACT.toString().replace(":", ": "));
  let isRestarted = false;
  const reader = { ...env };
  const ran = await play("Everything is 401", {
    env: reader,
    cwd,
    names: { "https://app.example/webhooks": url, "sha256=$DIGEST": sign(COMPACT, NEW_SECRET) },
    before: {
      "npx hookporter doctor --report": async () => {
        const wanted = isRestarted ? "no mismatch since" : "5 refused since";
        await until(async () => expect(await signatures()).toContain(wanted));
      },
      "npx hookporter trigger payment.received --url https://app.example/webhooks": async () => {
        isRestarted = true;
        reader.HOOKPORTER_SECRET = NEW_SECRET;
        await start({ secret: [NEW_SECRET, SECRET] });
        for (const request of [...before, ...refused]) expect(await deliver(request)).toBe(200);
      },
    },
  });
  expect(ran).toBeLessThan(10);
  await until(async () => expect(await stateOf(env)).toEqual(Array(9).fill("handled")));
});

it("5000 dead letters run again at the page's pace, and none is lost", {
  timeout: 300_000,
}, async () => {
  const inbox = join(tempFolder(), "inbox.db");
  const env = { HOOKPORTER_INBOX: inbox, HOOKPORTER_SECRET: SECRET };
  let isMended = false;
  const handled = new Set<string>();
  const pay = (event: { id: string }) => {
    if (!isMended) throw new Error("books.example answered 500 Internal Server Error");
    handled.add(event.id);
  };
  const service = await startService(inbox, {
    handlers: { "*": pay } as never,
    retry: { attempts: 1 },
    concurrency: 100,
  });
  for (const { headers, body } of deliveries(5000)) {
    const request = { method: "POST", target: "/webhooks", headers, body, receivedAt: Date.now() };
    void service.receiver.accept(request);
  }
  await until(async () =>
    expect(await inboxOf(service.receiver).counts()).toMatchObject({ dead: 5000 }),
  );
  const retry = async () => (await runCli(["events", "pause"], { env })).stdout;
  const ran = await play("Dead letters", {
    env,
    before: {
      "npx hookporter events retry --state dead --rate 200/s": () => {
        isMended = true;
      },
      "npx hookporter events pause": () =>
        until(async () => expect(await retry()).toContain("under way")),
      "npx hookporter doctor --report": () => until(() => expect(handled.size).toBe(5000)),
    },
  });
  expect(ran).toBeLessThan(10);
});

it("a disk is full: what was kept stays, and what was refused arrives once there is room", async (context) => {
  const folder = smallDisk(context, 6);
  const inbox = join(folder, "inbox.db");
  const env = { HOOKPORTER_INBOX: inbox, HOOKPORTER_SECRET: SECRET };
  const { deliver, logged } = await startService(inbox, { handlers: { "*": () => {} } });
  const ballast = join(folder, "core");
  const sent = deliveries(40, SECRET, 0, "x".repeat(60_000));
  for (const request of sent.slice(0, 5)) expect(await deliver(request)).toBe(200);
  const untilHandled = (many: number) =>
    until(async () => expect(await stateOf(env)).toEqual(Array(many).fill("handled")));
  // A commit that runs out of space half-way leaves room in the log, in which a small one may
  // succeed.
  await untilHandled(5);
  expect(() => writeFileSync(ballast, Buffer.alloc(8_000_000))).toThrow();
  const answers: number[] = [];
  for (const request of sent) answers.push(await deliver(request));
  expect(answers).toEqual(Array(40).fill(503));
  const ran = await play("Disk full", {
    env,
    names: { "/data": folder },
    log: logged().map((line) => line.replace(folder, "/data")),
    before: {
      "npx hookporter events prune --deliveries-older-than 1d": () => rmSync(ballast),
      "npx hookporter inbox check": async () => {
        for (const request of sent)
          await until(async () => expect(await deliver(request)).toBe(200));
      },
      // The page shows an entry that is handled, which the last one need not be at once.
      "npx hookporter events list --limit 1": () => untilHandled(40),
    },
  });
  expect(ran).toBeLessThan(10);
});
