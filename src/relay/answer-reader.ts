import { answerFault } from "./answer-fault.ts";
import { type AnswerHead, findHeadEnd, readHead } from "./answer-head.ts";
import { Chunks } from "./chunks.ts";

/** What a reader calls, in this order: `head` once, `body` for each piece, `end` once. */
export interface AnswerParts {
  head(head: AnswerHead): void;
  /** The piece is valid during the call only. */
  body(piece: Buffer): void;
  /** `surplus` says whether bytes follow that no one asked for. */
  end(surplus: boolean): void;
}

const NO_BYTES = Buffer.alloc(0);

const PROTOCOL = "HTTP/1.";

/**
 * Reads the answer to one request (RFC 9112). Node's own client spends more processor time on a request than the rest of
 * a replay. Answers with a status 1xx are passed over; 101 is an error, since nothing was asked to be upgraded.
 */
export class AnswerReader {
  readonly #parts: AnswerParts;
  /** What has arrived of the head. */
  #early: Buffer = NO_BYTES;
  #head: AnswerHead | undefined;
  /** Bytes of the body that are missing. */
  #left = 0;
  #chunks: Chunks | undefined;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /**
   * Reads what has arrived.
   *
   * @throws Error with a code `HPE_…` if it is not an answer
   */
  read(bytes: Buffer): void {
    if (this.#head === undefined) this.#readHead(bytes);
    else this.#readBody(this.#head, bytes);
  }

  /** Whether the end of the connection is the end of the answer; calls `end` if it is. */
  close(): boolean {
    const whole = this.#head?.framing === "until_close";
    if (whole) this.#parts.end(false);
    return whole;
  }

  #readHead(bytes: Buffer): void {
    const early = this.#early.byteLength === 0 ? bytes : Buffer.concat([this.#early, bytes]);
    const end = findHeadEnd(early);
    if (end === -1) {
      checkBeginning(early.toString("latin1"));
      // The bytes are copied, since their memory is used for what arrives next.
      this.#early = early === bytes ? Buffer.from(bytes) : early;
      return;
    }
    this.#early = NO_BYTES;
    const head = readHead(early.toString("latin1", 0, end));
    const rest = early.subarray(end + 4);
    if (head.status === 101) throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    if (head.status < 200) {
      if (rest.byteLength > 0) this.#readHead(rest);
      return;
    }
    this.#head = head;
    if (head.framing === "chunked") this.#chunks = new Chunks((piece) => this.#parts.body(piece));
    else if (head.framing !== "until_close") this.#left = head.framing;
    this.#parts.head(head);
    if (rest.byteLength > 0 || head.framing === 0) this.#readBody(head, rest);
  }

  #readBody({ framing }: AnswerHead, bytes: Buffer): void {
    if (framing === "until_close") {
      this.#parts.body(bytes);
      return;
    }
    if (this.#chunks !== undefined) {
      const used = this.#chunks.read(bytes);
      if (this.#chunks.ended) this.#parts.end(used < bytes.byteLength);
      return;
    }
    const piece = bytes.byteLength <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= piece.byteLength;
    if (piece.byteLength > 0) this.#parts.body(piece);
    if (this.#left === 0) this.#parts.end(piece.byteLength < bytes.byteLength);
  }
}

/** Recognises early what is no answer, which may never contain the end of a head. */
function checkBeginning(text: string): void {
  if (!text.startsWith(PROTOCOL.slice(0, text.length)))
    throw answerFault("HPE_INVALID_CONSTANT", "Expected HTTP/");
  if (/(?:^|[^\r])\n/.test(text)) throw answerFault("HPE_CR_EXPECTED", "Missing expected CR");
}
