import { OnceAMinute } from "../base/once-a-minute.ts";
import { shortText } from "../base/text/short-text.ts";
import { shownTarget } from "../base/text/shown-url.ts";
import { readHeader } from "../signature/header.ts";
import type { Incoming } from "./incoming.ts";
import type { Settings } from "./options/settings.ts";
import type { Refused } from "./outcome.ts";
import type { RefusalReason } from "./refusals.ts";
import { toAnswer } from "./response.ts";

type Needed = Pick<Settings, "log" | "signatureHeader" | "bodyLimit">;
type Head = Pick<Incoming, "method" | "target" | "path" | "headers">;

/** The most characters of a target, and of a header, in the log. */
const MAX_TARGET = 200;
const MAX_HEADER = 40;

/**
 * The cause and the fix, for those refusals that a sender with the right key meets only if
 * something is set up wrong.
 */
const CAUSES: Partial<Record<RefusalReason, (head: Head, bodyLimit: number) => string>> = {
  wrong_path: ({ path }) =>
    `this receiver listens at ${path}; correct the subscription's URL, or the receiver's path`,
  wrong_method: () =>
    "deliveries are sent with POST; check that nothing on the way, such as a redirect, changes the method",
  too_large: (_, bodyLimit) =>
    `its body is larger than bodyLimit (${bodyLimit} bytes); raise bodyLimit`,
  content_encoding: ({ headers }) =>
    `its Content-Encoding is ${shownValue(headers["content-encoding"])}; check that nothing on the way compresses requests`,
};

/**
 * Warns of refused requests that carry a signature header, since they may be real deliveries: the
 * sender sees only a status. Whether the signature is valid is not known, as it was not checked.
 */
export class SignedRefusals {
  readonly #settings: Needed;
  readonly #lines = new OnceAMinute<RefusalReason>();

  constructor(settings: Needed) {
    this.#settings = settings;
  }

  isSigned({ headers }: Pick<Incoming, "headers">): boolean {
    return readHeader(headers, this.#settings.signatureHeader) !== undefined;
  }

  /** Logs a refused request if it is signed and its cause was not logged in the last minute. */
  note(head: Head, outcome: Refused, now: number): void {
    const { reason } = outcome;
    const cause = CAUSES[reason];
    if (cause === undefined || !this.isSigned(head)) return;
    const leftOut = this.#lines.leftOut(reason, now);
    if (leftOut === undefined) return;
    const { status } = toAnswer(outcome);
    const why = cause(head, this.#settings.bodyLimit);
    this.#settings.log.warn(
      { reason, unlogged: leftOut || undefined },
      `a signed ${shownHead(head)} was answered ${status}: ${why}`,
    );
  }
}

/** The method and the target, of which anyone can choose every character. */
function shownHead({ method, target }: Head): string {
  const shown = shownTarget(target).replaceAll(/[^!-~…]/g, "_");
  return `${method.slice(0, 20)} to ${shortText(shown, MAX_TARGET)}`;
}

/** A header's value in quotes: anyone can choose every character of that, too. */
function shownValue(value: unknown): string {
  return `"${shortText(String(value), MAX_HEADER).replaceAll(/[^ !#-~…]/g, "_")}"`;
}
