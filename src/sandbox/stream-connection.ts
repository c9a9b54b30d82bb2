import type { RawData, WebSocket } from "ws";
import { parseAcknowledgement } from "../stream/protocol.ts";
import type { Reached } from "./destination.ts";

/** How a client confirms messages. */
export interface StreamTerms {
  /** Whether it answers each message; otherwise a message counts as received once sent. */
  readonly acknowledges: boolean;
  /** Milliseconds it may take. */
  readonly answerTimeout: number;
}

/** One open stream. If its client acknowledges, its answer confirms a message; answers arrive in order. */
export class StreamConnection {
  readonly #socket: WebSocket;
  readonly #terms: StreamTerms;
  readonly #unanswered: ((reached: Reached) => void)[] = [];

  constructor(socket: WebSocket, terms: StreamTerms) {
    this.#socket = socket;
    this.#terms = terms;
    socket.on("message", (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => this.#failAll("the stream was closed before it confirmed"));
  }

  /** Sends a body; never throws. */
  async send(body: Uint8Array): Promise<Reached> {
    const { acknowledges, answerTimeout } = this.#terms;
    if (!acknowledges) return this.#write(body);
    const answered = new Promise<Reached>((resolve) => this.#unanswered.push(resolve));
    const written = await this.#write(body);
    if (written.error !== null) this.#giveUp(written.error);
    const timer = setTimeout(() => this.#giveUp(`not acknowledged in ${answerTimeout} ms`), answerTimeout);
    try {
      return await answered;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it at once. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Closes it gracefully. */
  close(): void {
    this.#socket.close(1001);
  }

  #write(body: Uint8Array): Promise<Reached> {
    return new Promise((resolve) => {
      this.#socket.send(body, { binary: false }, (error) => {
        resolve({ status: null, error: error == null ? null : `could not send: ${error.message}` });
      });
    });
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    const acknowledgement = isBinary ? undefined : parseAcknowledgement(String(data));
    const answer = this.#unanswered.shift();
    if (answer === undefined || acknowledgement === undefined) {
      answer?.({ status: null, error: "expected an acknowledgement, got another message" });
      this.#giveUp("expected acknowledgements in order, got another message");
      return;
    }
    const { status } = acknowledgement;
    answer({ status, error: status === 200 ? null : `acknowledged with ${status}, but only 200 confirms` });
  }

  /** After a missing or invalid answer it is unknown which message the next one belongs to. */
  #giveUp(error: string): void {
    this.#failAll(error);
    this.cut();
  }

  #failAll(error: string): void {
    for (const answer of this.#unanswered.splice(0)) answer({ status: null, error });
  }
}
