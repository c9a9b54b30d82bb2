import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { sign } from "../../src/entries/index.ts";

const PROGRAM = join(import.meta.dirname, "children", "receiver.js");
const START = Date.now() - 3_600_000;
/** The secret of the receivers. */
export const SECRET = "a-secret-made-up-for-handing-on";

/** The body of an event; every third has one of two order keys. */
export function bodyOf(number: number): Buffer {
  const timestamp = new Date(START + number).toISOString();
  const data = { number, text: "é\u2028", ...(number % 3 === 0 && { key: `key_${number % 2}` }) };
  const webhook = { id: "wh_1", url: "https://app.example/webhooks" };
  return Buffer.from(JSON.stringify({ event: "payment.received", timestamp, data, webhook }));
}

/** A process that receives and hands on. */
export class Life {
  accepted = 0;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("exit", resolve));
    child.on("message", ({ type }: { type: string }) => {
      if (type === "accepted") this.accepted++;
    });
    child.on("error", () => {}); // a message to a process that was just killed
  }

  /** Resolves once it receives. */
  static async start(inbox: string, handlers: string, env: NodeJS.ProcessEnv = {}): Promise<Life> {
    const child = fork(PROGRAM, [inbox, handlers], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error("expected the process to start, but it ended")));
    });
    return new Life(child);
  }

  deliver(number: number): void {
    const body = bodyOf(number);
    const headers = { "x-service-signature": sign(body, SECRET) };
    this.#child.send(
      { method: "POST", target: "/webhooks", headers, body: body.toString("base64") },
      () => {},
    );
  }

  /** Resolves once it has ended. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
