import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import express, { type Express } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWebhookServer } from "../../src/entries/express.ts";
import { ConnectionCap } from "../../src/http/connection-cap.ts";
import { until } from "../receiver/sample.ts";
import { dial } from "../receiver/wire.ts";

/**
 * An app on a server with a limit. Requests are answered at once, or when the test calls a function
 * in `answers`.
 */
async function serve(maxConnections: number) {
  const answers: (() => void)[] = [];
  const app: Express = express();
  app.get("/at-once", (_, response) => void response.send("ok"));
  app.get("/large", (_, response) => void response.send(LARGE));
  app.get("/later", (_, response) => void answers.push(() => response.send("ok")));
  app.post(
    "/body",
    (request, response) => void request.resume().on("end", () => response.send("ok")),
  );
  const server: Server = createWebhookServer(app, { maxConnections });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  /**
   * Opens a connection and waits until the server has accepted it; `answered` waits for a number of
   * 200 answers.
   */
  const open = async () => {
    const accepted = new Promise<void>((resolve) => server.once("connection", () => resolve()));
    const socket = await dial(url);
    await accepted;
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    return {
      socket,
      answered: (count = 1) =>
        until(() => expect(text.split("HTTP/1.1 200")).toHaveLength(count + 1)),
    };
  };
  const get = async (connection: Awaited<ReturnType<typeof open>>, count = 1) => {
    connection.socket.write("GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n");
    await connection.answered(count);
  };
  /** Sends a request; resolves to whether it was answered rather than its connection ended. */
  const isAnswered = ({ socket }: Awaited<ReturnType<typeof open>>) =>
    new Promise<boolean>((resolve) => {
      socket.once("data", () => resolve(true)).once("close", () => resolve(false));
      socket.write("GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n");
    });
  return { open, get, isAnswered, answers, server };
}

const LARGE = Buffer.alloc(1024 * 1024);
const HEAD = "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
const closed = (socket: Socket) => until(() => expect(socket.closed).toBe(true));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("createWebhookServer with maxConnections", () => {
  it("ends the longest idle connection to accept a new one", async () => {
    const { open, get } = await serve(3);
    const first = await open();
    const second = await open();
    const third = await open();
    for (const connection of [second, first, third]) await get(connection);
    await get(second, 2);
    const fourth = await open();
    await closed(first.socket);
    await get(fourth);
    await get(await open());
    await closed(third.socket);
    await get(second, 3);
  });

  it("ends a connection that keeps sending but never completes the head of a request", async () => {
    const { open, get } = await serve(1);
    const { socket } = await open();
    socket.write("GET / HTTP/1.1\r\n");
    const drip = setInterval(() => socket.write("x"), 2);
    onTestFinished(() => clearInterval(drip));
    await pause(20);
    await get(await open());
    await closed(socket);
  });

  it("ends a connection with a stalled body if none is idle", async () => {
    const { open, get } = await serve(2);
    const stalled = await open();
    const idle = await open();
    stalled.socket.write(`${HEAD}some of it`);
    await get(idle);
    await pause(1100);
    const third = await open();
    await closed(idle.socket);
    third.socket.write(`${HEAD}some of it`);
    await pause(20);
    await get(await open());
    await closed(stalled.socket);
    expect(third.socket.closed).toBe(false);
  });

  it("ends the new connection rather than a request being handled or a body that makes progress", async () => {
    const { open, answers } = await serve(2);
    const handled = await open();
    const sending = await open();
    handled.socket.write("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => expect(answers).toHaveLength(1));
    sending.socket.write(HEAD);
    for (let sent = 0; sent < 96_000; sent += 4000) {
      sending.socket.write(Buffer.alloc(4000));
      await pause(50);
    }
    await closed((await open()).socket);
    expect([handled.socket.closed, sending.socket.closed]).toEqual([false, false]);
    sending.socket.write(Buffer.alloc(4000));
    for (const answer of answers) answer();
    await handled.answered();
    await sending.answered();
  });

  it("ends a connection that does not read its answers", async () => {
    const { open, isAnswered } = await serve(2);
    const deaf = await open();
    const other = await open();
    deaf.socket.pause();
    // More than the buffers in between can hold, so the rest is stuck.
    deaf.socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n".repeat(32));
    other.socket.write(HEAD);
    // New ones are ended until the answers have been stuck for a second.
    while (!(await isAnswered(await open()))) await pause(20);
    await closed(deaf.socket.resume());
    expect(other.socket.closed).toBe(false);
  });

  it("does not count closed connections", async () => {
    const { open, get } = await serve(2);
    const kept = await open();
    await get(kept);
    for (let n = 0; n < 5; n++) {
      const { socket } = await open();
      socket.destroy();
      await pause(20);
    }
    await get(kept, 2);
  });

  it("ends the oldest of thousands of silent connections, one for each new one", async () => {
    const { open } = await serve(300);
    const all: Awaited<ReturnType<typeof open>>[] = [];
    for (let n = 0; n < 900; n++) all.push(await open());
    await until(() => expect(all.filter(({ socket }) => socket.closed)).toHaveLength(600));
    expect(all.slice(600).every(({ socket }) => !socket.closed)).toBe(true);
  });
});

/** A cap without a network: the test moves its clock, and says what its connections send. */
function capped(most: number) {
  let time = 0;
  const cap = new ConnectionCap(most, () => time);
  const server = new EventEmitter();
  cap.watch(server as Server);
  const open = () => {
    const socket = Object.assign(new EventEmitter(), {
      bytesRead: 0,
      isEnded: false,
      destroy() {
        this.isEnded = true;
      },
    });
    server.emit("connection", socket);
    return socket;
  };
  /** A request of some bytes, its head alone unless it is complete; returns its answer. */
  const begin = (socket: ReturnType<typeof open>, { complete = true } = {}) => {
    socket.bytesRead += 100;
    const answer = Object.assign(new EventEmitter(), {
      req: { socket, complete },
      writableEnded: false,
    });
    cap.began(answer as never);
    return answer;
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { open, begin, pass };
}

describe("a connection that may be ended", () => {
  it("is not, if it has begun a request, sent more than a KiB or closed since it was found", () => {
    for (const since of ["nothing", "begins", "sends", "closes"] as const) {
      const { open, begin, pass } = capped(2);
      const first = open();
      const second = open();
      for (const socket of [first, second]) begin(socket, { complete: false });
      pass(1000);
      const third = open();
      expect([first.isEnded, second.isEnded], since).toEqual([true, false]);
      pass(1);
      if (since === "begins") begin(second);
      if (since === "nothing" || since === "sends")
        second.bytesRead += since === "sends" ? 1025 : 1024;
      if (since === "closes") second.emit("close");
      const fourth = open();
      if (since === "closes") open();
      const ended = since === "nothing" ? [true, false, false] : [false, true, false];
      expect([second.isEnded, third.isEnded, fourth.isEnded], since).toEqual(ended);
    }
  });

  it("is the one that has waited longest for its sender, once that is a quarter of a second", () => {
    const { open, begin, pass } = capped(2);
    const first = open();
    const second = open();
    begin(second, { complete: false });
    pass(1);
    begin(first, { complete: false });
    pass(248);
    expect(open().isEnded).toBe(true);
    pass(20);
    first.bytesRead += 1024; // progress
    expect(open().isEnded).toBe(false);
    expect([first.isEnded, second.isEnded]).toEqual([false, true]);
  });

  it("is one whose request makes no progress before one that was opened just now", () => {
    const { open, begin, pass } = capped(2);
    const stalled = open();
    begin(stalled, { complete: false });
    pass(250);
    const fresh = open(); // its request may be in the socket already, but has not been read
    expect(open().isEnded).toBe(false);
    expect([stalled.isEnded, fresh.isEnded]).toEqual([true, false]);
  });

  it("is not sought again within 20 ms, if there was none", () => {
    const { open, begin, pass } = capped(1);
    const first = open();
    const answer = begin(first);
    expect(open().isEnded).toBe(true);
    answer.emit("close");
    pass(19);
    expect([open().isEnded, first.isEnded]).toEqual([true, false]);
    pass(1);
    expect([open().isEnded, first.isEnded]).toEqual([false, true]);
  });

  it("waits for its sender if its answer is made but not read, and not while it is being made", () => {
    const { open, begin, pass } = capped(1);
    const first = open();
    const answer = begin(first);
    pass(5000);
    expect([open().isEnded, first.isEnded]).toEqual([true, false]);
    answer.writableEnded = true;
    pass(20);
    expect([open().isEnded, first.isEnded]).toEqual([false, true]);
  });

  it("is idle once the answer to its latest request is written, not to one before", () => {
    const { open, begin, pass } = capped(1);
    const first = open();
    const earlier = begin(first);
    const latest = begin(first);
    earlier.emit("close");
    expect([open().isEnded, first.isEnded]).toEqual([true, false]);
    latest.emit("close");
    pass(20);
    expect([open().isEnded, first.isEnded]).toEqual([false, true]);
  });

  it("is an idle one before one that sends a request, however old", () => {
    const { open, begin, pass } = capped(2);
    const sending = open();
    pass(5000);
    const idle = open();
    begin(idle).emit("close");
    sending.bytesRead += 10;
    pass(1);
    open();
    expect([sending.isEnded, idle.isEnded]).toEqual([false, true]);
  });

  it("is no longer known once it was ended, so that its late request does not count", () => {
    const { open, begin } = capped(1);
    const first = open();
    const second = open();
    begin(first).emit("close");
    open();
    expect([first.isEnded, second.isEnded]).toEqual([true, true]);
  });
});
