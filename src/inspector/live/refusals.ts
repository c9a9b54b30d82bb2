import type { DeliveryObservation } from "../../receiver/observation.ts";
import { toAnswer } from "../../receiver/response.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { RefusalDetail, RefusalRow } from "../api.ts";
import { shownHeaders } from "../entries/shown-headers.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { verdictOf } from "./verdict.ts";

/** The maximum number of remembered refused deliveries; the oldest is dropped first. */
export const MAX_REMEMBERED = 500;

/** The maximum length of a refused delivery's texts, since anyone can send them. */
const MAX_TEXT = 2000;
const MAX_HEADERS = 60;

/** The latest deliveries that were not kept, alike ones as one: in memory only, without their bodies. */
export class Refusals {
  readonly #remembered: RefusalDetail[] = [];
  readonly #signatureHeader: string;
  #count = 0;

  constructor(signatureHeader: string) {
    this.#signatureHeader = signatureHeader;
  }

  /**
   * Remembers a delivery if it was not kept.
   *
   * @param diagnosis - why its signature does not match; `left_out` if there were too many to diagnose
   */
  note(observation: DeliveryObservation, diagnosis?: Diagnosis | "left_out"): RefusalDetail | undefined {
    const { outcome, receivedAt, duration, bytes } = observation;
    if (outcome.type === "accepted" || outcome.type === "rejected") return undefined;
    const { word, reason, detail: meaning, fix } = verdictOf(outcome);
    if (word !== "unauthorized" && word !== "refused" && word !== "failed") return undefined;
    const headers = bounded(shownHeaders(observation.headers, this.#signatureHeader));
    const detail: RefusalDetail = {
      ...{ type: "refusal", id: `r${++this.#count}`, receivedAt, word, reason: reason ?? word, bytes },
      method: observation.method.slice(0, 20),
      target: shownUrl(observation.target).slice(0, MAX_TEXT),
      status: toAnswer(outcome).status,
      ...{ duration, headers, count: 1, why: causeOf(diagnosis) ?? meaning ?? fix ?? word },
      explanation: explainRefusal(observation, this.#signatureHeader, diagnosis),
    };
    const at = this.#remembered.findLastIndex((other) => isAlike(other, detail));
    const known = this.#remembered[at];
    if (known !== undefined) {
      const { id, receivedAt: first, count } = known;
      const again = { ...detail, id, receivedAt: first, count: count + 1 };
      this.#remembered[at] = again;
      return again;
    }
    this.#remembered.push(detail);
    if (this.#remembered.length > MAX_REMEMBERED) this.#remembered.shift();
    return detail;
  }

  /** Those that match, newest first. */
  list(takes: (refusal: RefusalDetail) => boolean): readonly RefusalRow[] {
    return this.#remembered.filter(takes).map(refusalRow).reverse();
  }

  find(id: string): RefusalDetail | undefined {
    return this.#remembered.find((refusal) => refusal.id === id);
  }
}

/** Whether two were refused for one reason on one way, so that a burst of them buries nothing. */
function isAlike(one: RefusalDetail, other: RefusalDetail): boolean {
  const names = ["word", "reason", "why", "method", "target", "status"] as const;
  return names.every((name) => one[name] === other[name]);
}

/** A refused delivery in the list. */
export function refusalRow(refusal: RefusalDetail): RefusalRow {
  const { headers: _, explanation: __, ...row } = refusal;
  return row;
}

/** What explains a signature that does not match, if anything does. */
function causeOf(diagnosis: Diagnosis | "left_out" | undefined): string | undefined {
  if (diagnosis === undefined || diagnosis === "left_out") return undefined;
  return diagnosis.explanations[0]?.[0]?.meaning;
}

function bounded(headers: RefusalDetail["headers"]): RefusalDetail["headers"] {
  const some = Object.entries(headers).slice(0, MAX_HEADERS);
  const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
  return Object.fromEntries(
    some.map(([name, value]) => [cut(name), typeof value === "string" ? cut(value) : value.map(cut)]),
  );
}
