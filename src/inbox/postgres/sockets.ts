import { Socket } from "node:net";

/** Milliseconds to wait until the server closes a connection that has said goodbye. */
const GOODBYE = 1000;

export class Sockets {
  readonly #open = new Set<Socket>();

  /** A new socket, for the client's option `stream`. */
  readonly create = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    return socket;
  };

  /**
   * Closes connections in order, and destroys those that are still open after a second. The client would wait for ever for a
   * server that hangs, or for an end that was lost on the way.
   */
  async close(inOrder: () => Promise<void>): Promise<void> {
    // Not cleared, since a pool does not wait for its idle connections; open sockets keep the process alive until then.
    setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, GOODBYE).unref();
    await inOrder();
  }
}
