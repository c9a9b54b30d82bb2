import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Sockets } from "../../../src/inbox/postgres/connect.ts";

it("a connection that the other side never closes is destroyed, although the client did not wait for it", async () => {
  const held: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => held.push(socket.resume()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of held) socket.destroy();
    server.close();
  });
  const sockets = new Sockets();
  const socket = sockets.create();
  socket.connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  await sockets.close(async () => {
    socket.end();
  });
  expect(socket.destroyed).toBe(false);
  await once(socket, "close");
  expect(socket.destroyed).toBe(true);
});
