import type { IncomingMessage } from "node:http";
import { type RawData, WebSocket } from "ws";
import { describeError, HookporterError } from "../../base/errors.ts";
import { redact } from "../../base/text/redact.ts";
import { connectOptions, noteRefusal } from "../../http/connect-options.ts";
import { ACKNOWLEDGE_HEADER, formatAcknowledgement } from "./protocol.ts";
import { STREAM_DEFAULTS, type StreamOptions } from "./stream-options.ts";

/** The maximum number of messages that wait, and of their bytes; above either, no more are read. */
const MAX_WAITING = 32;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Milliseconds for the server to close the connection gracefully. */
const CLOSE_GRACE = 1000;

/**
 * Statuses of a temporary refusal, by a busy or restarting server. Any other below 500 is
 * permanent.
 */
const PASSING = new Set([408, 425, 429]);

export class StreamConnection {
  /** Why it ended, in words; a permanent refusal is an error. Never rejects. */
  readonly ended: Promise<string | HookporterError>;
  /** Whether a message was taken. */
  useful = false;
  readonly #options: Required<Pick<StreamOptions, "take" | keyof typeof STREAM_DEFAULTS>>;
  readonly #socket: WebSocket;
  #acknowledges = false;
  #taking: Promise<void> = Promise.resolve();
  #waiting = 0;
  #waitingBytes = 0;
  #alive = true;
  #why: string | HookporterError | undefined;

  /** @param onOpen - called after the handshake */
  constructor(options: StreamOptions, token: string, onOpen: (acknowledges: boolean) => void) {
    this.#options = { ...STREAM_DEFAULTS, ...options };
    const { maxMessage, handshakeTimeout, pingEvery } = this.#options;
    const url = new URL(options.url);
    this.#socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}`, [ACKNOWLEDGE_HEADER]: "1" },
      maxPayload: maxMessage,
      handshakeTimeout,
      perMessageDeflate: false,
      followRedirects: false,
      ...connectOptions(url),
    });
    const pinging = setInterval(() => this.#ping(), pingEvery);
    this.ended = new Promise((resolve) => {
      this.#socket.on("close", (code, reason) => {
        clearInterval(pinging);
        resolve(this.#why ?? describeClose(code, redact(String(reason), [token])));
      });
    });
    this.#socket.on("open", () => onOpen(this.#acknowledges));
    this.#listen(url);
  }

  /** Finishes the message in progress, then closes. */
  async close(): Promise<void> {
    this.#why ??= "closed by this side";
    this.#socket.pause();
    await this.#taking;
    this.#socket.resume(); // the server's reply to our close must be read
    this.#socket.close(1000);
    const grace = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE);
    await this.ended;
    clearTimeout(grace);
  }

  #listen(url: URL): void {
    this.#socket.on("upgrade", ({ headers }) => {
      this.#acknowledges = headers[ACKNOWLEDGE_HEADER] === "1";
    });
    this.#socket.on("message", (data) => this.#onMessage(data));
    this.#socket.on("pong", () => {
      this.#alive = true;
    });
    this.#socket.on("error", (error) => {
      noteRefusal(url, error);
      this.#why ??= describe(error, this.#options.maxMessage);
    });
    this.#socket.on("unexpected-response", (_, response) => {
      this.#why ??= describeRefusal(response);
      response.destroy();
      this.#socket.terminate();
    });
  }

  /** Takes bodies one after another, so that acknowledgements keep their order. */
  #onMessage(data: RawData): void {
    this.#alive = true;
    // not taken, so not acknowledged; the server will resend it
    if (this.#why !== undefined) return;
    const body = data as Buffer; // ws returns buffers by default
    this.#waiting++;
    this.#waitingBytes += body.byteLength;
    if (this.#isFull) this.#socket.pause();
    this.#taking = this.#taking.then(async () => {
      await this.#take(body);
      this.#waiting--;
      this.#waitingBytes -= body.byteLength;
      if (!this.#isFull) this.#socket.resume();
    });
  }

  get #isFull(): boolean {
    return this.#waiting >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES;
  }

  async #take(body: Uint8Array): Promise<void> {
    const answer = await this.#options.take(body).catch(() => ({ status: 500 }));
    this.useful ||= answer.status === 200;
    if (this.#acknowledges && this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(formatAcknowledgement(answer));
    }
  }

  /** A connection can die silently; without a ping this would never be noticed. */
  #ping(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#alive || this.#socket.isPaused) {
      this.#alive = false;
      this.#socket.ping();
      return;
    }
    this.#why ??= `no reply to a ping within ${this.#options.pingEvery} ms`;
    this.#socket.terminate();
  }
}

/** Code 1006 was never sent: the connection ended without a close frame. */
function describeClose(code: number, reason: string): string {
  return code === 1006
    ? "the connection was lost"
    : `closed by the server (${`${code} ${reason}`.trim()})`;
}

function describe(error: Error & { code?: string }, maxMessage: number): string {
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
    return `a message was larger than ${maxMessage} bytes`;
  if (error.code === "ECONNREFUSED")
    return "connection refused: nothing listens there; start the server";
  if (error.code === "ENOTFOUND") return "unknown host: check the URL";
  return describeError(error);
}

function describeRefusal({ statusCode = 0 }: IncomingMessage): string | HookporterError {
  if (statusCode >= 500 || PASSING.has(statusCode)) return `refused with status ${statusCode}`;
  const what = `expected a stream, got status ${statusCode}`;
  if (statusCode === 401)
    return new HookporterError("service_unauthorized", `${what}: check the API key`);
  return new HookporterError("stream_refused", `${what}: check the stream's address`);
}
