import { connect, createServer, type Socket } from "node:net";

/**
 * A proxy in front of a server that can fall silent: connections stay open, new ones are accepted,
 * and nothing passes in either direction, not even the end of one, as if the server hung. What was
 * swallowed stays lost; later connections work again.
 */
export async function startSwallowingProxy(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let isLost = false;
    const pass = (to: Socket) => (chunk: Buffer) => {
      isLost ||= isSilent;
      if (!isLost) to.write(chunk);
    };
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("data", pass(other));
      socket.on("end", () => {
        isLost ||= isSilent;
        if (!isLost) other.end();
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const proxied = new URL(url);
  proxied.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: proxied.href,
    beSilent: (silent: boolean) => {
      isSilent = silent;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
