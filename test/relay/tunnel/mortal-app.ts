import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A user's app that can be killed and restarted on the same port; it remembers what it answered
 * with 200.
 */
export class MortalApp {
  /** As latin1, which keeps every byte. */
  readonly bodies = new Set<string>();
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<MortalApp> {
    const app = new MortalApp();
    await app.revive();
    onTestFinished(() => app.kill());
    return app;
  }

  get port(): number {
    return this.#port;
  }

  async revive(): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      this.bodies.add(Buffer.concat(chunks).toString("latin1"));
      response.end("ok");
    });
    server.listen(this.#port, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Cuts every connection, and accepts no new ones. */
  kill(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}
