import { NewestMap } from "../../base/newest-map.ts";
import { shortText } from "../../base/text/short-text.ts";
import { shownTarget } from "../../base/text/shown-url.ts";
import type { DeliveryHeaders } from "../../event/delivery.ts";
import type { InspectedDelivery } from "../../receiver/observed.ts";
import { toAnswer } from "../../receiver/response.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import type { RefusalDetail, RefusalRow } from "../api.ts";
import { shownHeaders } from "../entries/shown-delivery.ts";
import { explainRefusal } from "./explain-refusal.ts";
import type { RefusalDiagnosis } from "./refused-bodies.ts";
import { verdictOf } from "./verdict.ts";

/** The maximum number of remembered refused deliveries; the oldest is dropped first. */
export const MAX_REMEMBERED = 500;
/** The maximum length of a refused delivery's texts, since anyone can send them. */
const MAX_TEXT = 2000;
const MAX_HEADERS = 60;

/** A refused delivery; its body is held apart. */
export type Refusal = Omit<RefusalDetail, "body">;

/** The latest deliveries that were not kept, alike ones as one: in memory only. */
export class Refusals {
  readonly #remembered: Refusal[] = [];
  /** The rows into which others went whole, so that an open one stays. */
  readonly #became = new NewestMap<string, string>(MAX_REMEMBERED);
  readonly #signatureHeader: string;
  #count = 0;

  constructor(signatureHeader: string) {
    this.#signatureHeader = signatureHeader;
  }

  /** Remembers a delivery if it was not kept. */
  note(observation: InspectedDelivery, diagnosis?: RefusalDiagnosis): Refusal | undefined {
    const refusal = this.#describe(observation, diagnosis);
    return refusal === undefined ? undefined : this.#add(refusal);
  }

  /**
   * Corrects a delivery that was left out when it was noted; returns the rows that changed, its own
   * last.
   */
  correct(id: string, observation: InspectedDelivery, diagnosis: Diagnosis): readonly Refusal[] {
    const corrected = this.#describe(observation, diagnosis);
    const at = this.#remembered.findIndex((refusal) => refusal.id === id);
    const row = this.#remembered[at];
    if (corrected === undefined || row === undefined) return [];
    if (isSimilar(row, corrected)) {
      const again = { ...row, explanation: corrected.explanation };
      this.#remembered[at] = again;
      return [again];
    }
    const rest = { ...row, count: row.count - 1 };
    if (rest.count > 0) this.#remembered[at] = rest;
    else this.#remembered.splice(at, 1);
    const own = this.#add(corrected);
    if (rest.count === 0) this.#became.set(id, own.id);
    return [rest, own];
  }

  /** Those that match, newest first. */
  list(takes: (refusal: Refusal) => boolean): readonly RefusalRow[] {
    const rows = this.#remembered.filter(takes).map(refusalRow);
    return rows.sort((a, b) => b.receivedAt - a.receivedAt);
  }

  find(id: string): Refusal | undefined {
    const now = this.#became.get(id) ?? id;
    return this.#remembered.find((refusal) => refusal.id === now);
  }

  #describe(observation: InspectedDelivery, diagnosis?: RefusalDiagnosis): Refusal | undefined {
    const { outcome, receivedAt, duration, bytes } = observation;
    if (outcome.type === "accepted" || outcome.type === "rejected") return undefined;
    const { word, reason, detail: meaning, fix } = verdictOf(outcome);
    if (word !== "unauthorized" && word !== "refused" && word !== "failed") return undefined;
    const headers = shownHeaders(bounded(observation.headers), this.#signatureHeader);
    const cause =
      typeof diagnosis === "object" ? diagnosis.explanations[0]?.[0]?.meaning : undefined;
    return {
      type: "refusal",
      id: `r${++this.#count}`,
      receivedAt,
      word,
      reason: reason ?? word,
      bytes,
      method: observation.method.slice(0, 20),
      target: shownTarget(observation.target),
      status: toAnswer(outcome).status,
      duration,
      headers,
      count: 1,
      why: cause ?? meaning ?? fix ?? word,
      explanation: explainRefusal(observation, this.#signatureHeader, diagnosis),
    };
  }

  #add(refusal: Refusal): Refusal {
    const at = this.#remembered.findLastIndex((other) => isSimilar(other, refusal));
    const known = this.#remembered[at];
    if (known === undefined) {
      this.#remembered.push(refusal);
      if (this.#remembered.length > MAX_REMEMBERED) this.#remembered.shift();
      return refusal;
    }
    const { id, count } = known;
    const receivedAt = Math.min(known.receivedAt, refusal.receivedAt);
    const again = { ...refusal, id, receivedAt, count: count + 1 };
    this.#remembered[at] = again;
    return again;
  }
}

/** Whether two were refused for one reason on one way, so that a burst of them buries nothing. */
function isSimilar(a: Refusal, b: Refusal): boolean {
  const names = ["word", "reason", "why", "method", "target", "status"] as const;
  return names.every((name) => a[name] === b[name]);
}

export function refusalRow(refusal: Refusal): RefusalRow {
  const { headers: _, explanation: __, ...row } = refusal;
  return row;
}

/** The first headers, each cut before anything looks at it. */
function bounded(headers: DeliveryHeaders): DeliveryHeaders {
  const some = Object.entries(headers).slice(0, MAX_HEADERS);
  const cut = (text: string) => shortText(text, MAX_TEXT);
  return Object.fromEntries(
    some.map(([name, value]) => [
      cut(name),
      typeof value === "string" ? cut(value) : value?.map(cut),
    ]),
  );
}
