import { tryOr } from "../../base/try-or.ts";
import { printable } from "../output.ts";
import { columnsOf } from "../wrap-text.ts";

/** What a receiver made with this library answers to an event that it keeps. */
interface OwnAnswer {
  readonly id: string;
  readonly duplicate: boolean;
}

/** Reads a receiver's answer; `undefined` for that of another receiver. */
export function readOwnAnswer(body: string): OwnAnswer | undefined {
  // an error for each answer would take longer than the rest of its report
  if (!body.startsWith("{")) return undefined;
  return tryOr(() => {
    const { received, id, duplicate } = JSON.parse(body);
    const isOwn = received === true && typeof id === "string" && typeof duplicate === "boolean";
    return isOwn ? { id, duplicate } : undefined;
  }, undefined);
}

/** Columns of the status and the space after it. */
const STATUS_COLUMNS = 4;

/** With fewer columns of its id, an event cannot be told from another. */
const SHORTEST_ID = 12;

/**
 * What follows the status: `payment.received 8.3 ms new evt_1_5b0c…`. On a terminal it is one line:
 * the id is cut, which `events show` takes too, then left out, then the label is cut.
 */
export function ownAnswerLine(
  label: string,
  duration: number,
  { id, duplicate }: OwnAnswer,
  columns = Number.POSITIVE_INFINITY,
): string {
  const end = ` ${duration} ms  ${duplicate ? "duplicate" : "new"}`;
  const room = columns - STATUS_COLUMNS - end.length;
  const left = room - columnsOf(label) - 2;
  if (left >= SHORTEST_ID) return `${label}${end}  ${printable(id).slice(0, left)}`;
  return `${columnsOf(label) > room ? `${[...label].slice(0, room - 1).join("")}…` : label}${end}`;
}
