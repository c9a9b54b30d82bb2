import { connect, createServer, type Socket } from "node:net";

/** A proxy in front of a server, whose URL it takes over with another port. */
export interface ServerProxy {
  readonly url: string;
  /** Ends all connections. */
  cut(): void;
  stop(): Promise<void>;
}

/**
 * Starts a proxy.
 *
 * @param target - the URL of the server, asked for each connection
 * @param wire - passes on what arrives at one of the two sockets to the other, as the proxy does
 * @param allowHalfOpen - whether the end of one direction leaves the other one open
 */
export async function startProxy(
  target: () => string,
  wire: (client: Socket, upstream: Socket) => void,
  allowHalfOpen = false,
): Promise<ServerProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen }, (client) => {
    const { hostname: host, port } = new URL(target());
    const upstream = connect({ port: Number(port), host, allowHalfOpen });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    wire(client, upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const proxied = new URL(target());
  proxied.port = String(typeof address === "object" ? address?.port : "");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: proxied.href,
    cut,
    stop: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
