import { EventEmitter } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { writeAnswer } from "../../src/http/answer.ts";
import { lingering } from "../../src/http/closing.ts";
import { toAnswer } from "../../src/receiver/response.ts";
import { until } from "../receiver/sample.ts";
import { dial, readAll } from "../receiver/wire.ts";

const CLOSING = toAnswer({ type: "refused", reason: "too_slow" });
const MIB = 1024 * 1024;

// First in this file: a connection of the tests below may start a timer after its test.

/** Timers that the test moves. */
function frozenTimers() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

describe("lingering", () => {
  /** A request, and whether its sender is still listened to. */
  function lingeringOn(state: object = {}) {
    frozenTimers();
    const resume = vi.fn();
    const request = Object.assign(new EventEmitter(), {
      complete: false,
      destroyed: false,
      resume,
      ...state,
    });
    let isOver = false;
    void lingering(request as never).then(() => {
      isOver = true;
    });
    const isOverAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return isOver;
    };
    return { request, resume, isOverAfter };
  }

  it.each([
    { complete: true },
    { destroyed: true },
    { readableEnded: true },
    { resume: undefined },
  ])("waits for nothing of a request that is %j", async (state) => {
    const { isOverAfter } = lingeringOn(state);
    expect(await isOverAfter(0)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(["end", "close"])("is over with the request's %s, and leaves no timer", async (event) => {
    const { request, resume, isOverAfter } = lingeringOn();
    expect(resume).toHaveBeenCalledOnce();
    expect(await isOverAfter(499)).toBe(false);
    request.emit(event);
    expect(await isOverAfter(0)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is over after half a second, or 8 MiB", async () => {
    const slow = lingeringOn();
    expect(await slow.isOverAfter(499)).toBe(false);
    expect(await slow.isOverAfter(1)).toBe(true);
    const large = lingeringOn();
    large.request.emit("data", { byteLength: 8 * MIB });
    expect(await large.isOverAfter(0)).toBe(false);
    large.request.emit("data", { byteLength: 1 });
    expect(await large.isOverAfter(0)).toBe(true);
  });
});

/** A socket of Node's class, with some fields replaced. */
function fakeSocket<Fields extends object>(fields: Fields): Fields {
  const own = Object.getOwnPropertyDescriptors(fields);
  return Object.create(Socket.prototype, own) as Fields;
}

describe("closeUnread", () => {
  /** An answer whose turn has come by default, and its socket. */
  async function unread({
    version = 1,
    destroyed = false,
    isInTurn = true,
    isWritten = false,
    left = 0,
    isReal = true,
  } = {}) {
    frozenTimers();
    vi.resetModules(); // each has one timer for all connections
    const { closeUnread } = await import("../../src/http/closing.ts");
    const own = { destroyed, writableLength: left, destroy: vi.fn() };
    const socket = isReal ? fakeSocket(own) : own;
    const response = { socket: isInTurn ? socket : null, writableFinished: isWritten };
    closeUnread({ socket, httpVersionMajor: version } as never, response as never);
    return { socket, response };
  }

  it.each([
    ["is in turn", {}],
    ["is written", { isInTurn: false, isWritten: true }],
    ["waits for others that are not read", { isInTurn: false, left: 1 }],
  ])("ends the connection a second after an answer that %s", async (_, state) => {
    const { socket } = await unread(state);
    vi.advanceTimersByTime(999);
    expect(socket.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(socket.destroy).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits for a further second while answers before it are being made", async () => {
    const { socket, response } = await unread({ isInTurn: false });
    vi.advanceTimersByTime(3999);
    expect(socket.destroy).not.toHaveBeenCalled();
    response.socket = socket;
    vi.advanceTimersByTime(1);
    expect(socket.destroy).toHaveBeenCalledOnce();
  });

  it.each([
    ["that is closed", { destroyed: true, isInTurn: false }],
    ["of HTTP/2, which has other requests", { version: 2 }],
    ["that only looks like one", { isReal: false }],
  ])("leaves a connection alone %s", async (_, state) => {
    const { socket } = await unread(state);
    vi.advanceTimersByTime(1000);
    expect(socket.destroy).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** A connection to a server, and the number of connections the server has. */
async function connected(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const socket = await dial(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { socket, connections };
}

const two = "GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n";

it("a sender that does not read the final answer cannot keep its connection open", async () => {
  const { socket, connections } = await connected((request, response) => {
    if (request.url === "/first") response.end(Buffer.alloc(64 * MIB));
    else void writeAnswer(response, CLOSING);
  });
  socket.pause();
  socket.write(two);
  await until(async () => expect(await connections()).toBe(1));
  await until(async () => expect(await connections()).toBe(0));
});

it("the final answer waits for the answers before it", async () => {
  const { socket, connections } = await connected((request, response) => {
    if (request.url === "/first") setTimeout(() => response.end("first"), 2500);
    else void writeAnswer(response, CLOSING);
  });
  socket.write(two);
  const text = String(await readAll(socket));
  expect(text).toContain("first");
  expect(text).toContain("HTTP/1.1 408");
  expect(await connections()).toBe(0);
});

it("a body that continues after the final answer is discarded for at most half a second", async () => {
  const { socket, connections } = await connected(
    (_, response) => void writeAnswer(response, CLOSING),
  );
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * MIB}\r\n\r\n`);
  const drip = setInterval(() => socket.write("x"), 10);
  onTestFinished(() => clearInterval(drip));
  expect(String(await readAll(socket))).toContain("HTTP/1.1 408");
  await until(async () => expect(await connections()).toBe(0));
});
