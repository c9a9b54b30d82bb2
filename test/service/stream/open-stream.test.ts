import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WebSocket } from "ws";
import { HookporterError } from "../../../src/entries/index.ts";
import { openStream } from "../../../src/service/stream/open-stream.ts";
import { ACKNOWLEDGE_HEADER } from "../../../src/service/stream/protocol.ts";
import { gate } from "../../receiver/sample.ts";
import { until } from "../sandbox/open.ts";
import { open, openServer, QUICK } from "./open.ts";

/** The number of bytes that cannot be sent, once it no longer changes. */
async function settledAmount(socket: WebSocket): Promise<number> {
  for (let last = -1, still = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    still = socket.bufferedAmount === last ? still + 1 : 0;
    if (still === 10) return last;
    last = socket.bufferedAmount;
  }
}

describe("a stream", () => {
  it("sends its token with the handshake, renewed for each, and offers to acknowledge", async () => {
    const server = await openServer();
    let count = 0;
    await open({ url: server.url, token: () => `token-${++count}` });
    server.last().terminate();
    await until(() => expect(server.sockets).toHaveLength(2));
    const headers = server.requests.map((request) => request.headers);
    expect(headers.map(({ authorization }) => authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
    ]);
    expect(headers.every((header) => header[ACKNOWLEDGE_HEADER] === "1")).toBe(true);
    expect(headers.some(({ origin }) => origin !== undefined)).toBe(false);
  });

  it("takes bodies one after another, byte for byte, and acknowledges each in order", async () => {
    const server = await openServer();
    const seen: Buffer[] = [];
    let running = 0;
    await open({
      url: server.url,
      take: async (body) => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        seen.push(Buffer.from(body));
        return { status: 200 + seen.length };
      },
    });
    const bodies = ["{}", '{ "a" : 1.50 }', "\u00e9 \u{1f600}", "", " "].map((text) =>
      Buffer.from(text),
    );
    for (const [index, body] of bodies.entries()) server.last().send(body, { binary: index === 1 });
    await until(() => expect(server.answers).toHaveLength(5));
    expect(seen).toEqual(bodies);
    expect(server.answers.map((text) => JSON.parse(text))).toEqual(
      [201, 202, 203, 204, 205].map((status) => ({ status })),
    );
  });

  it("does not acknowledge to a server that does not support it", async () => {
    const server = await openServer({ acknowledged: false });
    const { taken, changes } = await open({ url: server.url });
    expect(changes).toEqual([{ state: "open", acknowledges: false }]);
    server.last().send("{}");
    await until(() => expect(taken).toEqual(["{}"]));
    const closed = new Promise<void>((resolve) => server.last().on("close", () => resolve()));
    server.last().close();
    await closed;
    expect(server.answers).toEqual([]);
  });

  it("stops reading while too many messages wait, and loses none", async () => {
    const server = await openServer();
    const { opened, open: letGo } = gate();
    const taken: string[] = [];
    await open({
      url: server.url,
      take: async (body) => {
        await opened;
        taken.push(String(Buffer.from(body)));
        return { status: 200 };
      },
    });
    const big = "x".repeat(100_000);
    const sent = Array.from({ length: 400 }, (_, index) => `${index} ${big}`);
    for (const body of sent) server.last().send(body);
    // 40 MB, of which only some was read
    expect(await settledAmount(server.last())).toBeGreaterThan(0);
    letGo();
    await until(() => expect(taken).toHaveLength(400));
    expect(taken).toEqual(sent);
  });

  it("acknowledges with 500 if taking a message fails, and continues", async () => {
    const server = await openServer();
    let first = true;
    await open({
      url: server.url,
      take: async () => {
        if (!first) return { status: 200 };
        first = false;
        throw new Error("not taken");
      },
    });
    server.last().send("1");
    server.last().send("2");
    await until(() => expect(server.answers).toEqual(['{"status":500}', '{"status":200}']));
  });

  it("hides its token and API keys in a server's reason for closing", async () => {
    const server = await openServer();
    const token = "oauth-token-of-the-stream";
    const { changes } = await open({ url: server.url, token: () => token });
    server.last().close(4001, `no ${token}, no sk_live_4711`);
    await until(() => expect(changes.length).toBeGreaterThan(1));
    expect(changes[1]).toMatchObject({
      reason: "closed by the server (4001 no [redacted], no [redacted])",
    });
  });

  it("stops reading while too many bytes wait, and loses none", async () => {
    const server = await openServer();
    const { opened, open: letGo } = gate();
    const sizes: number[] = [];
    await open({
      url: server.url,
      take: async (body) => {
        await opened;
        sizes.push(body.byteLength);
        return { status: 413 };
      },
    });
    const large = Buffer.alloc(4 * 1024 * 1024);
    for (let count = 0; count < 12; count++) server.last().send(large);
    expect(await settledAmount(server.last())).toBeGreaterThan(5 * large.byteLength);
    letGo();
    await until(() => expect(sizes).toEqual(Array(12).fill(large.byteLength)));
  });

  it("ends a connection with a message that is too large to be read, and opens another", async () => {
    const server = await openServer();
    const { taken, states, changes } = await open({ url: server.url, maxMessage: 10 });
    server.last().send("x".repeat(10));
    server.last().send("x".repeat(11));
    await until(() => expect(states()).toEqual(["open", "waiting", "open"]));
    expect(taken).toEqual(["x".repeat(10)]);
    expect(changes[1]).toMatchObject({ reason: expect.stringContaining("10 bytes") });
  });
});

describe("reopening", () => {
  it("happens whenever the connection ends, for ever", async () => {
    const server = await openServer();
    const { states, taken } = await open({ url: server.url });
    for (let count = 1; count <= 5; count++) {
      await until(() => expect(server.sockets).toHaveLength(count));
      server.last().send(String(count));
      await until(() => expect(taken).toHaveLength(count));
      if (count % 2 === 0) server.last().close(1011, "over");
      else server.last().terminate();
    }
    await until(() =>
      expect(states()).toEqual([...Array(5).fill(["open", "waiting"]).flat(), "open"]),
    );
  });

  it("waits longer each time, up to the maximum, and starts over after a message", async () => {
    let refused = 0;
    const server = await openServer({ refuse: () => (refused++ < 4 ? 503 : 0) });
    const { changes, taken } = await open({
      url: server.url,
      retry: { delay: 4, maxDelay: 16, jitter: 0 },
    });
    const delays = () =>
      changes.flatMap((change) => (change.state === "waiting" ? [change.delay] : []));
    await until(() => expect(changes.at(-1)?.state).toBe("open"));
    expect(delays()).toEqual([4, 8, 16, 16]);
    server.last().terminate();
    await until(() => expect(delays()).toHaveLength(5));
    expect(delays().at(-1)).toBe(16); // it was open, but had received nothing yet
    await until(() => expect(server.sockets).toHaveLength(2));
    server.last().send("{}");
    await until(() => expect(taken).toHaveLength(1));
    server.last().terminate();
    await until(() => expect(delays()).toHaveLength(6));
    expect(delays().at(-1)).toBe(4);
  });

  it("continues while nothing listens, and reports it at the first try", async () => {
    const server = await openServer();
    await server.stop();
    const { changes } = await open({ url: server.url });
    expect(changes[0]).toMatchObject({
      state: "waiting",
      reason: expect.stringContaining("refused"),
    });
    await until(() => expect(changes.length).toBeGreaterThan(3));
  });

  it("happens when a server has died silently", async () => {
    const server = await openServer();
    const { states } = await open({ url: server.url, pingEvery: 20 });
    server.last().pause(); // it no longer answers pings
    await until(() => expect(states().slice(0, 3)).toEqual(["open", "waiting", "open"]));
  });

  it("does not happen while the server answers pings, even without messages", async () => {
    const server = await openServer();
    const { states } = await open({ url: server.url, pingEvery: 200 });
    const socket = server.last();
    let pings = 0;
    socket.on("ping", () => pings++);
    await until(() => expect(pings).toBeGreaterThan(2));
    expect(states()).toEqual(["open"]);
  });

  it.each([400, 401, 403, 404, 426, 301])("does not happen after status %i", async (status) => {
    const server = await openServer({ refuse: () => status });
    const code = status === 401 ? "service_unauthorized" : "stream_refused";
    await expect(open({ url: server.url })).rejects.toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
  });

  it.each([408, 429, 500, 502, 503])("happens after status %i", async (status) => {
    let left = 1;
    const server = await openServer({ refuse: () => (left-- > 0 ? status : 0) });
    const { states } = await open({ url: server.url });
    await until(() => expect(states()).toEqual(["waiting", "open"]));
  });

  it("ends for good when the server refuses later, with the reason", async () => {
    const statuses = [0, 401];
    const server = await openServer({ refuse: () => statuses.shift() ?? 0 });
    const { stream, states } = await open({ url: server.url });
    server.last().terminate();
    expect(await stream.ended).toMatchObject({ code: "service_unauthorized" });
    expect(states()).toEqual(["open", "waiting"]);
  });

  it("ends for good when no token is available", async () => {
    const server = await openServer();
    const none = () => {
      throw new HookporterError("option_invalid", "no token");
    };
    await expect(open({ url: server.url, token: none })).rejects.toMatchObject({
      code: "option_invalid",
    });
    expect(server.requests).toEqual([]);
  });

  it("ends for good after the given number of tries", async () => {
    const server = await openServer({ refuse: () => 503 });
    const { stream } = await open({ url: server.url, retry: { ...QUICK, attempts: 3 } });
    expect(await stream.ended).toMatchObject({ code: "stream_refused" });
    expect(server.requests).toHaveLength(3);
  });
});

describe("closing", () => {
  it("finishes messages in progress, acknowledges them, and closes the connection", async () => {
    const server = await openServer();
    const { opened, open: letGo } = gate();
    let begun = 0;
    const { stream, states } = await open({
      url: server.url,
      take: async () => {
        begun++;
        await opened;
        return { status: 200 };
      },
    });
    const code = new Promise<number>((resolve) => server.last().on("close", resolve));
    server.last().send("{}");
    await until(() => expect(begun).toBe(1));
    const closing = stream.close();
    server.last().send('{"late":true}');
    letGo();
    await closing;
    expect(begun).toBe(1);
    expect(server.answers).toEqual(['{"status":200}']);
    expect(await code).toBe(1000);
    expect(await stream.ended).toBeUndefined();
    expect(states()).toEqual(["open"]);
  });

  it("takes nothing more, and does not wait for a server that never responds", async () => {
    const server = await openServer();
    const { stream, taken } = await open({ url: server.url });
    server.last().pause();
    await stream.close();
    expect(taken).toEqual([]);
    expect(server.sockets).toHaveLength(1);
  });

  it("opens nothing if it happens while the token is fetched", async () => {
    const server = await openServer();
    const { opened, open: giveToken } = gate();
    const stream = openStream({
      url: server.url,
      take: async () => ({ status: 200 }),
      token: () => opened.then(() => "sk_test_late"),
    });
    const closing = stream.close();
    giveToken();
    await closing;
    expect(await stream.ended).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  it("ends the wait before the next try", async () => {
    const server = await openServer();
    await server.stop();
    const { stream } = await open({
      url: server.url,
      retry: { delay: 3_600_000, maxDelay: 3_600_000 },
    });
    await stream.close();
    expect(await stream.ended).toBeUndefined();
  });

  it("ends a handshake in progress", async () => {
    const silent = createServer();
    silent.on("upgrade", (_, socket) => onTestFinished(() => void socket.destroy()));
    onTestFinished(() => void silent.close());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const url = new URL(`ws://127.0.0.1:${port}/stream`);
    const { stream, changes } = await open({ url, handshakeTimeout: 30 });
    expect(changes[0]?.state).toBe("waiting");
    await stream.close();
    expect(await stream.ended).toBeUndefined();
  });
});
