import { connect, createServer, type Socket } from "node:net";

/**
 * A proxy in front of a server that delays everything, in both directions, as a distant network
 * does.
 */
export async function startDelayingProxy(url: string, delayMs: number) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("data", (chunk) => setTimeout(() => other.write(chunk), delayMs));
      socket.on("end", () => setTimeout(() => other.end(), delayMs));
      socket.on("error", () => {});
      socket.on("close", (isBroken) => {
        sockets.delete(socket);
        // a server that is killed resets its connections
        if (isBroken) setTimeout(() => other.destroy(), delayMs);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const proxied = new URL(url);
  proxied.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: proxied.href,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
