import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { ACKNOWLEDGE_HEADER, parseAcknowledgement } from "../stream/protocol.ts";
import type { Destination, Reached } from "./destination.ts";
import type { StreamObservation } from "./observation.ts";

/** The maximum size of a client's message; acknowledgements are short. */
const MAX_MESSAGE = 1024;

/** Milliseconds for clients to close a stream gracefully. */
const CLOSE_GRACE = 1000;

export interface StreamServerOptions {
  /** The stream's URL, used as the subscription's URL in envelopes. */
  readonly url: URL;
  /** Milliseconds for a client to acknowledge. */
  readonly answerTimeout: number;
  readonly onChange: (observation: StreamObservation) => void;
}

/**
 * All streams, as one destination: an event goes to each open stream, and is confirmed when all have confirmed it. A client
 * that reconnects gets unconfirmed events. All of it is assumed: see `stream/protocol.ts`.
 */
export class StreamServer implements Destination {
  readonly webhook: { readonly id: string; readonly url: string };
  readonly signed = false;
  readonly #options: StreamServerOptions;
  readonly #server = new WebSocketServer({
    ...{ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false, clientTracking: false },
  });
  readonly #closing = new AbortController();
  readonly #open = new Set<OpenStream>();

  constructor(options: StreamServerOptions) {
    this.#options = options;
    this.webhook = { id: "wh_sandbox_stream", url: options.url.href };
    this.#server.on("headers", (headers, request) => {
      if (acknowledges(request)) headers.push(`${ACKNOWLEDGE_HEADER}: 1`);
    });
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Opens a stream on a connection whose request was checked. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { answerTimeout } = this.#options;
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const connection = new OpenStream(opened, acknowledges(request) ? answerTimeout : undefined);
      this.#open.add(connection);
      opened.on("close", () => {
        this.#open.delete(connection);
        this.#tell("closed");
      });
      this.#tell("opened");
    });
  }

  async reach(body: Uint8Array): Promise<Reached> {
    const all = await Promise.all([...this.#open].map((connection) => connection.send(body)));
    const [first = { status: null, error: "no stream is open" }] = all;
    return all.find(({ error }) => error !== null) ?? first;
  }

  /** Ends all streams abruptly, as an outage does. */
  cut(): void {
    for (const connection of this.#open) connection.cut();
  }

  /** Closes all streams gracefully, after a second forcibly. */
  close(): void {
    this.#closing.abort();
    for (const connection of this.#open) connection.close();
    setTimeout(() => this.cut(), CLOSE_GRACE).unref();
  }

  #tell(change: StreamObservation["change"]): void {
    this.#options.onChange({ type: "stream", change, open: this.#open.size });
  }
}

function acknowledges({ headers }: IncomingMessage): boolean {
  return headers[ACKNOWLEDGE_HEADER] === "1";
}

/**
 * One open stream. If its client acknowledges, its answer confirms a message; answers arrive in order, within the milliseconds
 * given. Otherwise a message counts as received once sent.
 */
class OpenStream {
  readonly #socket: WebSocket;
  readonly #answerTimeout: number | undefined;
  readonly #unanswered: ((reached: Reached) => void)[] = [];

  constructor(socket: WebSocket, answerTimeout: number | undefined) {
    this.#socket = socket;
    this.#answerTimeout = answerTimeout;
    socket.on("message", (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => this.#failAll("the stream was closed before it confirmed"));
  }

  /** Sends a body; never throws. */
  async send(body: Uint8Array): Promise<Reached> {
    const answerTimeout = this.#answerTimeout;
    if (answerTimeout === undefined) return this.#write(body);
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

  cut(): void {
    this.#socket.terminate();
  }

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
