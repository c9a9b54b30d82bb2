import { timingSafeEqual } from "node:crypto";
import { bearerToken, drawToken, hashToken, nameHash, proveHash } from "./token.ts";

export interface TokenRecord {
  /** SHA-256, in hexadecimal. */
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

/** What a folder keeps between runs. No function throws. */
export interface TokenRecords {
  read(): readonly TokenRecord[];
  write(records: readonly TokenRecord[]): void;
  /** Random text, the same in each run, of which the names of its pages are made. */
  seed(): string;
}

/** Milliseconds after its last use for which a token is valid in later runs. */
export const VALID = 24 * 60 * 60 * 1000;

export const KEPT = 50;
const WRITE_AGAIN = 60_000; // milliseconds between two writes that only record a later use

/**
 * The tokens that give access: the one of this run, and recent ones of earlier runs, by their
 * hashes.
 */
export class KnownTokens {
  readonly text = drawToken();
  readonly #own = hashToken(this.text);
  readonly #earlier: ReadonlyMap<string, number>;
  readonly #used = new Map<string, number>();
  /** The number of unfinished responses by hash: while a live feed is open, its token is in use. */
  readonly #open = new Map<string, number>();
  readonly #records: TokenRecords;
  readonly #clock: () => number;
  readonly #timer: NodeJS.Timeout;
  #writtenAt = 0;

  constructor(records: TokenRecords, clock: () => number) {
    this.#records = records;
    this.#clock = clock;
    this.#earlier = new Map(records.read().map(({ hash, usedAt }) => [hash, usedAt]));
    this.#used.set(this.#own, clock());
    this.#write();
    this.#timer = setInterval(() => this.#open.size > 0 && this.#write(), WRITE_AGAIN).unref();
  }

  /** The hash of the token in an `Authorization` header, if it is valid. */
  find(authorization: string | undefined): string | undefined {
    const text = bearerToken(authorization);
    if (text === undefined) return undefined;
    const given = Buffer.from(hashToken(text));
    return this.#valid().find((hash) => timingSafeEqual(Buffer.from(hash), given));
  }

  /** Records a use that lasts until the returned function is called. */
  use(hash: string): () => void {
    this.#open.set(hash, (this.#open.get(hash) ?? 0) + 1);
    this.#note(hash);
    return () => {
      const count = (this.#open.get(hash) ?? 1) - 1;
      if (count > 0) this.#open.set(hash, count);
      else this.#open.delete(hash);
      this.#note(hash);
    };
  }

  /** Proves knowledge of the hash with this name; `undefined` if there is none. */
  prove(name: string, host: string, nonce: string): string | undefined {
    const hash = this.#valid().find((text) => nameHash(text) === name);
    return hash === undefined ? undefined : proveHash(hash, host, nonce);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#write();
  }

  #valid(): readonly string[] {
    const since = this.#clock() - VALID;
    const isValid = (hash: string, usedAt: number) =>
      hash === this.#own || this.#open.has(hash) || usedAt > since;
    const all = new Map([...this.#earlier, ...this.#used]);
    return [...all].flatMap(([hash, usedAt]) => (isValid(hash, usedAt) ? [hash] : []));
  }

  #note(hash: string): void {
    this.#used.set(hash, this.#clock());
    if (this.#clock() - this.#writtenAt > WRITE_AGAIN) this.#write();
  }

  /**
   * Adds what was used in this run to what is there: another process in the same folder may have
   * written, too.
   */
  #write(): void {
    const now = this.#clock();
    this.#writtenAt = now;
    for (const hash of this.#open.keys()) this.#used.set(hash, now);
    const latest = new Map(this.#records.read().map(({ hash, usedAt }) => [hash, usedAt]));
    for (const [hash, usedAt] of this.#used)
      latest.set(hash, Math.max(usedAt, latest.get(hash) ?? 0));
    const records = [...latest].map(([hash, usedAt]) => ({ hash, usedAt }));
    const recent = records.filter(({ usedAt }) => usedAt > now - VALID);
    this.#records.write(recent.sort((a, b) => b.usedAt - a.usedAt).slice(0, KEPT));
  }
}
