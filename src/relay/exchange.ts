import type { IncomingHttpHeaders } from "node:http";
import type { AnswerHead } from "./answer-head.ts";
import { type AnswerParts, AnswerReader } from "./answer-reader.ts";
import { Connection, type ConnectionUser, type Route } from "./connection.ts";
import { type RequestHead, requestHead } from "./request-head.ts";

/** What to post, and how much of the answer to read. */
export interface Posting extends Route, RequestHead {
  readonly host: string | undefined;
  readonly target: URL;
  readonly body: Uint8Array;
  /** How many bytes of the answer's body to read. */
  readonly maxAnswer: number;
  /** Milliseconds that the answer's body may take after its status; `undefined` for no limit but that of {@link Exchange.stop}. */
  readonly bodyTimeout: number | undefined;
}

/** Why an answer's body is not complete: longer than `maxAnswer`, cut off by the connection, or not there in time. */
export type Cut = "too_long" | "closed" | "overdue";

/** A target's answer. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, or its beginning. */
  readonly bytes: Buffer;
  /** Why the body is not complete; `undefined` if it is. */
  readonly cut: Cut | undefined;
  /** The address that answered, if the target's name has one in each family. */
  readonly address: string | undefined;
}

/** One request and its answer. */
export class Exchange implements ConnectionUser, AnswerParts {
  /** Rejects with the connection's error if there is no status. Once there is one, that is the answer, however the body ends. */
  readonly answered: Promise<Answered>;
  readonly #connection: Connection;
  readonly #reader = new AnswerReader(this);
  readonly #maxAnswer: number;
  readonly #bodyTimeout: number | undefined;
  #resolve: (answer: Answered) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #head: AnswerHead | undefined;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(posting: Posting) {
    const { body } = posting;
    const head = requestHead(posting, body.byteLength);
    this.#maxAnswer = posting.maxAnswer;
    this.#bodyTimeout = posting.bodyTimeout;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#connection = Connection.to(posting, this);
    this.#connection.write(head, body);
  }

  /** Whether the connection was accepted. */
  get connected(): boolean {
    return this.#connection.connected;
  }

  /** Whether it failed because the target closed a kept-alive connection just before it was reused. */
  failedStale(thrown: unknown): boolean {
    return this.#connection.reused && (thrown as NodeJS.ErrnoException).code === "ECONNRESET";
  }

  /** Ends it: `answered` resolves with what has arrived if there is a status, else it rejects. */
  stop(): void {
    this.#cutOff("overdue", new Error("stopped"));
  }

  arrived(bytes: Buffer): void {
    try {
      this.#reader.read(bytes);
    } catch (thrown) {
      this.failed(thrown as Error);
    }
    if (this.#head === undefined || this.#ended || this.#bodyTimeout === undefined) return;
    this.#timer ??= setTimeout(() => this.#cutOff("overdue"), this.#bodyTimeout);
  }

  closed(): void {
    if (!this.#reader.close()) this.failed(hungUp());
  }

  failed(error: Error): void {
    this.#cutOff("closed", error);
  }

  head(head: AnswerHead): void {
    this.#head = head;
  }

  body(piece: Buffer): void {
    if (this.#ended) return;
    const room = this.#maxAnswer - this.#length;
    this.#length += piece.byteLength;
    if (room > 0) this.#pieces.push(Buffer.from(piece.subarray(0, room)));
    if (this.#length > this.#maxAnswer) this.#cutOff("too_long");
  }

  end(surplus: boolean): void {
    if (this.#ended || this.#head === undefined) return;
    const { persistent, headers } = this.#head;
    this.#settle(this.#head, undefined);
    this.#connection.release(persistent && !surplus, headers["keep-alive"] as string | undefined);
  }

  /** Ends it before the end of the answer. */
  #cutOff(cut: Cut, error: Error = hungUp()): void {
    if (this.#ended) return;
    if (this.#head === undefined) {
      this.#ended = true;
      this.#reject(error);
    } else this.#settle(this.#head, cut);
    this.#connection.destroy();
  }

  #settle({ status, headers }: AnswerHead, cut: Cut | undefined): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    const { address } = this.#connection;
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#resolve({ status, headers, bytes, cut, address });
  }
}

/** What Node's client reports if the connection ends before the answer. */
function hungUp(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}
