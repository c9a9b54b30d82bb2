import { Buffer } from "node:buffer";
import { createHash, type Hash, hash } from "node:crypto";
import { canonicalNumber } from "./canonical-number.ts";
import type { PlainJson, PlainValue } from "./plain-json.ts";
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT } from "./plain-lexemes.ts";

/** Bytes that are collected before they are hashed. */
const COLLECTED = 32 * 1024;

/** Bytes that are copied one by one; more are copied by Node, whose call takes as long as this. */
const FEW = 64;

/**
 * Hashes the canonical form of values in plain JSON, without making a string of it: the bytes are collected in one buffer
 * that is reused, and hashed at once if they fit. Long strings are hashed where they are.
 */
export class PlainDigest {
  readonly #json: PlainJson;
  readonly #collected = Buffer.allocUnsafeSlow(COLLECTED);
  #length = 0;
  #hash: Hash | undefined;

  constructor(json: PlainJson) {
    this.#json = json;
  }

  /** The digest of a list of values in canonical form, as hex. */
  ofList(bytes: Buffer, values: readonly PlainValue[]): string {
    this.#length = 0;
    this.#hash = undefined;
    this.#byte(OPEN_LIST);
    for (let index = 0; index < values.length; index++) {
      if (index > 0) this.#byte(COMMA);
      this.#value(bytes, values[index] as PlainValue);
    }
    this.#byte(CLOSE_LIST);
    const rest = this.#collected.subarray(0, this.#length);
    return this.#hash === undefined ? hash("sha256", rest, "hex") : this.#endOf(this.#hash, rest);
  }

  #endOf(running: Hash, rest: Uint8Array): string {
    this.#hash = undefined;
    return running.update(rest).digest("hex");
  }

  #value(bytes: Buffer, value: PlainValue): void {
    const json = this.#json;
    const start = json.start(value);
    const code = bytes[start] as number;
    if (code === OPEN_OBJECT) {
      this.#byte(OPEN_OBJECT);
      for (let member = json.first(value); member !== 0; ) {
        this.#bytes(bytes, json.keyStart(member), json.keyEnd(member));
        this.#byte(COLON);
        this.#value(bytes, member);
        member = json.next(member);
        if (member !== 0) this.#byte(COMMA);
      }
      this.#byte(CLOSE_OBJECT);
    } else if (code === OPEN_LIST) {
      this.#byte(OPEN_LIST);
      for (let item = json.first(value); item !== 0; ) {
        this.#value(bytes, item);
        item = json.next(item);
        if (item !== 0) this.#byte(COMMA);
      }
      this.#byte(CLOSE_LIST);
    } else if (json.isOddNumber(value)) {
      const number = Buffer.from(canonicalNumber(json.text(value)), "latin1");
      this.#bytes(number, 0, number.byteLength);
    } else this.#bytes(bytes, start, json.end(value));
  }

  #byte(code: number): void {
    if (this.#length === COLLECTED) this.#empty();
    this.#collected[this.#length++] = code;
  }

  #bytes(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#length + length > COLLECTED) {
      this.#empty();
      if (length > COLLECTED) {
        this.#hash?.update(bytes.subarray(start, end));
        return;
      }
    }
    if (length <= FEW) {
      const collected = this.#collected;
      let to = this.#length;
      for (let at = start; at < end; at++) collected[to++] = bytes[at] as number;
    } else bytes.copy(this.#collected, this.#length, start, end);
    this.#length += length;
  }

  /** Hashes what is collected so far. */
  #empty(): void {
    this.#hash ??= createHash("sha256");
    this.#hash.update(this.#collected.subarray(0, this.#length));
    this.#length = 0;
  }
}
