import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { nodeReceiver } from "../../src/entries/node.ts";
import { long } from "../long.ts";
import { processorTime } from "../processor-time.ts";
import { openReceiver, posting } from "../receiver/open.ts";
import { bytes, envelope, freshEnvelope, inboxFile, signedHeaders } from "../receiver/sample.ts";
import { dial, type Reply, readAll } from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { chunkOf, head, openServer, statuses } from "./open.ts";

const GOOD = bytes(envelope());
const SIGNED = signedHeaders(GOOD);
const MIB = 1024 * 1024;

/**
 * Milliseconds of processor time that an honest delivery may take while slow clients are served.
 */
const LONGEST_WAIT = 2000;

/**
 * Sends honest deliveries one after another; returns a function that stops it and resolves with
 * their number. Measures processor time of this process, clients included, since wall-clock time
 * also grows with the machine's other load.
 */
function honestSender(post: (content: object) => Promise<Reply>) {
  const answers: number[] = [];
  let slowest = 0;
  let going = true;
  const finished = (async () => {
    while (going || answers.length < 5) {
      const start = processorTime();
      answers.push((await post(freshEnvelope())).status);
      slowest = Math.max(slowest, processorTime() - start);
    }
  })();
  return async () => {
    going = false;
    await finished;
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(slowest).toBeLessThan(LONGEST_WAIT);
    return answers.length;
  };
}

/** Calls `write` for each open socket every `everyMs` milliseconds, until the test ends. */
function drip(sockets: readonly Socket[], everyMs: number, write: (socket: Socket) => void): void {
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable && !socket.closed) write(socket);
  }, everyMs);
  onTestFinished(() => clearInterval(timer));
}

function dialMany(url: URL, count: number): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => dial(url)));
}

it(caseTitle(46, "200 at once, a byte at a time"), async () => {
  const { url, post, reasons, entries } = await openServer({ bodyTimeout: 500 });
  const sockets = await dialMany(url, 200);
  const answers = sockets.map(readAll);
  for (const socket of sockets) socket.write(head({ ...SIGNED, "content-length": GOOD.length }));
  let at = 0;
  drip(
    sockets,
    20,
    (socket) => void socket.write(GOOD.subarray(at++ % GOOD.length).subarray(0, 1)),
  );
  const honest = honestSender(post);
  for (const answer of await Promise.all(answers))
    expect(statuses(answer.toString())).toEqual([408]);
  const served = await honest();
  expect(reasons().filter((reason) => reason === "too_slow")).toHaveLength(sockets.length);
  expect(await entries()).toHaveLength(served);
});

it(caseTitle(46, "headers that trickle in byte by byte"), async () => {
  const { receiver, entries } = await openReceiver({ inbox: inboxFile() });
  // Node's own limits on headers, shortened for the test, but long for the honest sender on a busy
  // machine.
  const limits = { headersTimeout: 1000, requestTimeout: 2000, connectionsCheckingInterval: 50 };
  const server = createServer(limits, nodeReceiver(receiver));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
  const sockets = await dialMany(url, 100);
  const answers = sockets.map(readAll);
  const request = head({ ...SIGNED, "content-length": GOOD.length });
  let at = 0;
  drip(sockets, 20, (socket) => void socket.write(request.slice(at % request.length).slice(0, 1)));
  const turn = setInterval(() => at++, 20);
  onTestFinished(() => clearInterval(turn));
  const honest = honestSender(posting(url).post);
  for (const answer of await Promise.all(answers)) {
    // Node answers 408 if it can, or only closes the connection.
    expect(statuses(answer.toString()).filter((status) => status !== 408)).toEqual([]);
  }
  const served = await honest();
  expect(await entries()).toHaveLength(served);
});

it(caseTitle(47, "thousands of silent connections"), async () => {
  const { url, post, stillServes } = await openServer();
  const before = process.memoryUsage().rss;
  // Both ends are in this process, so each connection takes two file descriptors.
  const many = long(400, 2000);
  const half = head({ ...SIGNED, "content-length": GOOD.length });
  const honest = honestSender(post);
  const silent = await dialMany(url, many);
  for (const [index, socket] of silent.entries()) {
    // at most half a head
    if (index % 2 === 1) socket.write(half.slice(0, 1 + (index % (half.length - 4))));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  await honest();
  // they are tolerated, and harm no other sender
  expect(silent.filter((socket) => socket.closed)).toEqual([]);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB + many * 64 * 1024);
  for (const socket of silent) socket.destroy();
  await stillServes();
}, 60_000);

it(caseTitle(28, "many endless chunked bodies at once"), async () => {
  const { url, post, reasons, entries } = await openServer({
    bodyLimit: 256 * 1024,
    bodyTimeout: 5000,
  });
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  onTestFinished(() => clearInterval(watch));
  const chunk = chunkOf(16_384);
  const sockets = await dialMany(url, 100);
  const answers = sockets.map(readAll);
  for (const socket of sockets) socket.write(head({ ...SIGNED, "transfer-encoding": "chunked" }));
  // 100 bodies, 16 kB each every 10 ms: without the limit they would take 150 MB per second.
  drip(sockets, 10, (socket) => void (socket.writableNeedDrain || socket.write(chunk)));
  const honest = honestSender(post);
  const answered = (await Promise.all(answers)).map((answer) => statuses(answer.toString()));
  // A client that keeps sending may be cut off before it reads its 413; none gets any other status.
  expect(answered.filter(([status]) => status !== 413 && status !== undefined)).toEqual([]);
  expect(answered.flat()).toContain(413);
  const served = await honest();
  expect(reasons().filter((reason) => reason === "too_large")).toHaveLength(sockets.length);
  expect(most).toBeLessThan(128 * MIB);
  expect(await entries()).toHaveLength(served);
}, 60_000);

it(caseTitle(28, "chunks that trickle in below the limit"), async () => {
  const { url, post, reasons, entries } = await openServer({ bodyTimeout: 400 });
  const sockets = await dialMany(url, 50);
  const answers = sockets.map(readAll);
  for (const socket of sockets) socket.write(head({ ...SIGNED, "transfer-encoding": "chunked" }));
  drip(sockets, 10, (socket) => void socket.write("1\r\n{\r\n"));
  const honest = honestSender(post);
  for (const answer of await Promise.all(answers))
    expect(statuses(answer.toString())).toEqual([408]);
  expect(reasons().filter((reason) => reason === "too_slow")).toHaveLength(sockets.length);
  const served = await honest();
  expect(await entries()).toHaveLength(served);
});

it("a sender that never reads its answers does not delay others", async () => {
  const { url, post } = await openServer();
  const deaf = connect(Number(url.port), url.hostname);
  onTestFinished(() => void deaf.destroy());
  deaf.on("error", () => {}).pause();
  const request = head({ "content-length": 2 });
  const honest = honestSender(post);
  for (let n = 0; n < 300; n++) deaf.write(`${request}{}`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await honest();
});
