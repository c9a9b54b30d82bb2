import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import type { MuxSession } from "./muxado.ts";
import { proxyHead } from "./rpc.ts";

/** One public address: a plain HTTP port, whose connections go to the session that has it. */
export class Entry {
  /** The session behind it; without one it answers as ngrok does for an offline address. */
  session: MuxSession | undefined;
  tunnelId = "";
  /** Refuses requests although a session is behind it. */
  dead = false;
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#connect(socket));
  }

  static async open(port = 0): Promise<Entry> {
    const entry = new Entry(createServer({ allowHalfOpen: true, noDelay: true }));
    entry.#server.listen(port, "127.0.0.1");
    await once(entry.#server, "listening");
    return entry;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #connect(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    const { session } = this;
    if (this.dead || session === undefined || !session.socket.writable) {
      socket.end(
        "HTTP/1.1 404 Not Found\r\nngrok-error-code: ERR_NGROK_3200\r\ncontent-length: 0\r\n\r\n",
      );
      socket.resume();
      return;
    }
    const stream = session.open();
    const ClientAddr = `${socket.remoteAddress}:${socket.remotePort}`;
    stream.write(
      proxyHead({
        Id: this.tunnelId,
        ClientAddr,
        Proto: "https",
        EdgeType: "0",
        PassthroughTLS: false,
      }),
    );
    pipeline(socket, stream, () => {});
    pipeline(stream, socket, () => socket.destroySoon());
  }
}
