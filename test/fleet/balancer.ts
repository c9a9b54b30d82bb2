import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A balancer like the one of the example: in turn, and to the next one if a receiver refuses, fails
 * or leaves.
 */
export class Balancer {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #ports: number[] = [];
  readonly #server = createServer((incoming, response) => void this.#pass(incoming, response));
  #turn = 0;

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  add(port: number): void {
    this.#ports.push(port);
  }

  remove(port: number): void {
    this.#ports.splice(this.#ports.indexOf(port), 1);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    for (let tries = 0; tries < 3; tries++) {
      const port = this.#ports[this.#turn++ % this.#ports.length];
      const answer = port === undefined ? undefined : await this.#ask(port, incoming, body);
      if (answer === undefined || answer.status === 503) continue;
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
      return;
    }
    response.writeHead(502).end();
  }

  #ask(port: number, { method, url, headers }: IncomingMessage, body: Buffer) {
    return new Promise<{ status: number; body: Buffer } | undefined>((resolve) => {
      const { "transfer-encoding": _, connection: __, ...kept } = headers;
      const target = { host: "127.0.0.1", port, method, path: url, agent: this.#agent };
      const asking = request({ ...target, headers: { ...kept, "content-length": body.length } });
      asking.on("error", () => resolve(undefined));
      asking.on("response", async (answer) => {
        const chunks: Buffer[] = [];
        try {
          for await (const chunk of answer) chunks.push(chunk);
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) });
        } catch {
          resolve(undefined);
        }
      });
      asking.end(body);
    });
  }
}
