/**
 * A message between the threads: all texts as one string, all numbers and bytes in one buffer,
 * which is transferred.
 */
export interface Packet {
  readonly text: string;
  /** The buffer begins with this many numbers of 8 bytes; the bytes follow. */
  readonly numbers: number;
  readonly buffer: ArrayBuffer;
}

/** The length of a text that is `null`. */
const NULL = -1;

/**
 * Writes values one after another into a packet. Cloning objects for another thread, or parsing
 * them from JSON, takes several times as long.
 */
export class PacketWriter {
  #text = "";
  readonly #numbers: number[] = [];
  readonly #bytes: Uint8Array[] = [];
  #byteLength = 0;

  number(number: number): void {
    this.#numbers.push(number);
  }

  text(text: string | null): void {
    this.#numbers.push(text === null ? NULL : text.length);
    if (text !== null) this.#text += text;
  }

  /** Any plain value, or `undefined`. */
  json(value: unknown): void {
    this.text(value === undefined ? null : JSON.stringify(value));
  }

  bytes(bytes: Uint8Array): void {
    this.#numbers.push(bytes.byteLength);
    this.#bytes.push(bytes);
    this.#byteLength += bytes.byteLength;
  }

  end(): Packet {
    let at = this.#numbers.length * Float64Array.BYTES_PER_ELEMENT;
    const all = Buffer.allocUnsafeSlow(at + this.#byteLength);
    const buffer = all.buffer as ArrayBuffer;
    new Float64Array(buffer, 0, this.#numbers.length).set(this.#numbers);
    for (const bytes of this.#bytes) {
      all.set(bytes, at);
      at += bytes.byteLength;
    }
    return { text: this.#text, numbers: this.#numbers.length, buffer };
  }
}

/** Reads the values of a packet in the order in which they were written. */
export class PacketReader {
  readonly #packet: Packet;
  readonly #numbers: Float64Array;
  #numbersRead = 0;
  #textRead = 0;
  #bytesRead: number;

  constructor(packet: Packet) {
    this.#packet = packet;
    this.#numbers = new Float64Array(packet.buffer, 0, packet.numbers);
    this.#bytesRead = this.#numbers.byteLength;
  }

  number(): number {
    const number = this.#numbers[this.#numbersRead++];
    if (number === undefined)
      throw new RangeError("expected another value in a packet, got its end");
    return number;
  }

  /** A number, or what stands for one that is not there. */
  numberOr<Nothing>(nothing: Nothing): number | Nothing {
    const number = this.number();
    return Number.isNaN(number) ? nothing : number;
  }

  text(): string {
    return this.textOrNull() ?? "";
  }

  textOrNull(): string | null {
    const length = this.number();
    if (length === NULL) return null;
    const start = this.#textRead;
    this.#textRead += length;
    return this.#packet.text.slice(start, this.#textRead);
  }

  json<Value>(): Value {
    const text = this.textOrNull();
    return text === null ? (undefined as Value) : JSON.parse(text);
  }

  bytes(): Uint8Array {
    const length = this.number();
    const bytes = new Uint8Array(this.#packet.buffer, this.#bytesRead, length);
    this.#bytesRead += length;
    return bytes;
  }
}
