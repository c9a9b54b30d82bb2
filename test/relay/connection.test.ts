import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { send } from "../../src/relay/send.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** A server of bytes: `serve` gets each connection with its number. */
async function openServer(serve: (socket: Socket, connection: number) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    serve(
      socket.on("error", () => {}),
      sockets.push(socket),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { target: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/in`), sockets };
}

const post = (target: URL, body: Uint8Array = Buffer.from("{}")) => send({ target, headers: {}, body });

it("one connection serves requests that follow each other, and each of several at a time has its own", async () => {
  const { target, sockets } = await openServer((socket) => socket.on("data", () => socket.write(OK)));
  for (let time = 0; time < 5; time++) await post(target);
  expect(sockets).toHaveLength(1);
  await Promise.all([post(target), post(target), post(target)]);
  expect(sockets).toHaveLength(3);
});

it.each([
  ["asks to close it", "Connection: close\r\n"],
  ["keeps it for a second only", "Keep-Alive: timeout=1\r\n"],
])("a connection is not used again if the answer %s", async (_, header) => {
  const answer = `HTTP/1.1 200 OK\r\n${header}Content-Length: 2\r\n\r\nok`;
  const { target, sockets } = await openServer((socket) => socket.on("data", () => socket.write(answer)));
  await post(target);
  await post(target);
  expect(sockets).toHaveLength(2);
});

it("a connection is not used again after bytes that no one asked for", async () => {
  const { target, sockets } = await openServer((socket, connection) => {
    const surplus = "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno";
    if (connection === 2) socket.on("data", () => socket.write(OK));
    else
      socket.once("data", () => {
        socket.write(OK);
        setTimeout(() => socket.write(surplus), 20);
      });
  });
  await post(target);
  await wait(60);
  expect(await post(target)).toMatchObject({ status: 200 });
  expect(sockets).toHaveLength(2);
});

it("a target that answers early still receives the whole body", async () => {
  const body = Buffer.alloc(8 * 1024 * 1024, "x");
  let received = 0;
  const { target, sockets } = await openServer((socket) => {
    socket.once("data", () => {
      socket.write(OK);
      socket.pause();
      setTimeout(() => socket.resume(), 50);
    });
    socket.on("data", (piece) => {
      received += piece.length;
    });
  });
  expect(await post(target, body)).toMatchObject({ status: 200, body: "ok" });
  while (received < body.byteLength) await wait(10);
  await wait(20);
  expect(sockets[0]?.destroyed).toBe(false);
});

it("an idle connection that its target closes is left", async () => {
  const { target, sockets } = await openServer((socket) => {
    socket.once("data", () => socket.end(OK));
  });
  for (let time = 0; time < 3; time++) {
    expect(await post(target)).toMatchObject({ status: 200 });
    await wait(20);
  }
  expect(sockets).toHaveLength(3);
});
