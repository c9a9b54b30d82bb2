import { OnceAMinute } from "../base/once-a-minute.ts";
import { shortText } from "../base/text/short-text.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { readForms } from "../signature/diagnose/header-form.ts";
import { readHeader } from "../signature/header.ts";
import { SIGNATURE_REASONS, type SignatureReason } from "../signature/signature-format.ts";
import { LIKE_A_SIGNATURE } from "./admit.ts";
import type { Settings } from "./options/settings.ts";

type Terms = Pick<Settings, "source" | "log" | "signatureHeader">;

/** Requests in a row without a signature from which a line asks why. */
const ENOUGH = 5;
/** The most characters of a header's name in the log. */
const MAX_NAME = 60;

/** Headers that hold a digest of something, and no signature. */
const OTHER_DIGEST = /content|digest|etag|trace|-id$/i;
/** The forms that a service's signature is most likely in. */
const WHOLE = /^sha256=[\da-f]{64}$/i;

interface Unsigned {
  readonly headers: DeliveryHeaders;
  readonly reason: SignatureReason;
  readonly now: number;
  /** When the latest authentic delivery arrived, if any has. */
  readonly authenticAt: number | undefined;
}

/**
 * Warns of requests whose signature is missing or cannot be read, since the sender sees only a
 * status: once a minute at most, without any header's value, as anyone can send them.
 */
export class UnsignedRequests {
  readonly #terms: Terms;
  readonly #lines = new OnceAMinute<"unsigned">();
  /** Those without a signature since the latest authentic delivery. */
  #missing = 0;
  /** The number of them that is worth a line. */
  #worthALine = ENOUGH;
  #authenticAt: number | undefined;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  note(unsigned: Unsigned): void {
    const { headers, reason, now } = unsigned;
    const missing = reason === "signature_missing" ? this.#countMissing(unsigned) : 0;
    const other = missing === 0 ? undefined : this.#otherHeader(headers);
    if (missing > 0 && other === undefined && missing < this.#worthALine) return;
    const unlogged = this.#lines.leftOut("unsigned", now);
    if (unlogged === undefined) return;
    if (missing >= this.#worthALine) this.#worthALine = 2 * missing;
    const { log, source } = this.#terms;
    log.warn(
      { outcome: "unauthorized", reason, source, unlogged: unlogged || undefined },
      missing === 0 ? this.#unreadable(headers) : this.#without(missing, other),
    );
  }

  #countMissing({ authenticAt }: Unsigned): number {
    if (authenticAt !== this.#authenticAt) {
      this.#authenticAt = authenticAt;
      this.#missing = 0;
      this.#worthALine = ENOUGH;
    }
    return ++this.#missing;
  }

  /** The name of the header that looks most like a signature. */
  #otherHeader(headers: DeliveryHeaders): string | undefined {
    const alike = Object.entries(headers).filter(
      ([name, value]) => LIKE_A_SIGNATURE.test(String(value)) && !OTHER_DIGEST.test(name),
    );
    const found =
      alike.find(([, value]) => WHOLE.test(String(value))) ??
      alike.find(([name]) => /sign/i.test(name)) ??
      alike[0];
    return found?.[0];
  }

  #without(missing: number, other: string | undefined): string {
    const { signatureHeader } = this.#terms;
    if (other === undefined) {
      return `none of the last ${missing} requests had the header ${signatureHeader}: does a proxy drop it, or has the sender's another name (signatureHeader)?`;
    }
    const name = shortText(other, MAX_NAME).replaceAll(/[^!-~…]/g, "_");
    return `a request has no ${signatureHeader}, but ${name} looks like a signature: set signatureHeader to that name, or send the expected one`;
  }

  #unreadable(headers: DeliveryHeaders): string {
    const { signatureHeader } = this.#terms;
    const { forms, evident } = readForms(readHeader(headers, signatureHeader) ?? "");
    const causes = evident === undefined ? (forms[0]?.causes ?? []) : [evident];
    const found = causes.length === 0 ? [SIGNATURE_REASONS.signature_malformed] : causes;
    const wrong = found.map((cause) =>
      "detail" in cause && cause.detail !== null
        ? `${cause.meaning} (${cause.detail})`
        : cause.meaning,
    );
    const fixes = new Set(found.map(({ fix }) => fix));
    return `a signature cannot be read: in the header ${signatureHeader}, ${wrong.join(", ")}: ${[...fixes].join("; ")}`;
  }
}
