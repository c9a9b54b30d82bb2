import { answerFault } from "./answer-fault.ts";

/** Bytes that a line between two chunks may have. */
const LONGEST_LINE = 16 * 1024;

const SIZE_LINE = /^([0-9a-f]{1,13})(?:;.*)?$/i;

/** Takes a body in chunks apart (RFC 9112, 7.1). Extensions of chunks and trailers are passed over. */
export class Chunks {
  readonly #body: (piece: Buffer) => void;
  #place: "size" | "data" | "after_data" | "trailer" | "end" = "size";
  #line = "";
  #left = 0;
  #trailers = 0;

  /**
   * @param body - called with each piece of the body, which is valid during the call only
   */
  constructor(body: (piece: Buffer) => void) {
    this.#body = body;
  }

  /** Whether the last chunk and its trailers were read. */
  get ended(): boolean {
    return this.#place === "end";
  }

  /**
   * Reads what has arrived; returns how many bytes belonged to the body.
   *
   * @throws Error with a code `HPE_…` if they are not chunks
   */
  read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.byteLength && this.#place !== "end") {
      if (this.#place === "data") {
        const end = Math.min(bytes.byteLength, at + this.#left);
        this.#body(bytes.subarray(at, end));
        this.#left -= end - at;
        if (this.#left === 0) this.#place = "after_data";
        at = end;
      } else at = this.#readLine(bytes, at);
    }
    return at;
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(0x0a, at);
    const stop = end === -1 ? bytes.byteLength : end + 1;
    this.#line += bytes.toString("latin1", at, stop);
    if (this.#line.length > LONGEST_LINE)
      throw answerFault("HPE_HEADER_OVERFLOW", "Chunk extensions overflow");
    if (end === -1) {
      if (this.#place === "after_data" && !"\r\n".startsWith(this.#line)) throw strictFault();
      return stop;
    }
    if (!this.#line.endsWith("\r\n")) throw answerFault("HPE_CR_EXPECTED", "Missing expected CR");
    this.#take(this.#line.slice(0, -2));
    this.#line = "";
    return stop;
  }

  #take(line: string): void {
    if (this.#place === "after_data") {
      if (line !== "") throw strictFault();
      this.#place = "size";
    } else if (this.#place === "size") {
      const [, digits] = SIZE_LINE.exec(line) ?? [];
      if (digits === undefined)
        throw answerFault("HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size");
      this.#left = Number.parseInt(digits, 16);
      this.#place = this.#left === 0 ? "trailer" : "data";
    } else if (line === "") this.#place = "end";
    else {
      this.#trailers += line.length;
      if (this.#trailers > LONGEST_LINE) throw answerFault("HPE_HEADER_OVERFLOW", "Header overflow");
    }
  }
}

function strictFault(): Error {
  return answerFault("HPE_STRICT", "Expected CRLF after chunk");
}
