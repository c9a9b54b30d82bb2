import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { writeAnswer } from "../../src/http/answer.ts";
import { toAnswer } from "../../src/receiver/response.ts";
import { until } from "../receiver/sample.ts";
import { dial, readAll } from "../receiver/wire.ts";

const CLOSING = toAnswer({ type: "refused", reason: "too_slow" });
const MIB = 1024 * 1024;

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
  const { socket, connections } = await connected((_, response) => void writeAnswer(response, CLOSING));
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * MIB}\r\n\r\n`);
  const drip = setInterval(() => socket.write("x"), 10);
  onTestFinished(() => clearInterval(drip));
  expect(String(await readAll(socket))).toContain("HTTP/1.1 408");
  await until(async () => expect(await connections()).toBe(0));
});
