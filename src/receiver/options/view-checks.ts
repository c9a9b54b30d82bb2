import {
  aNumber,
  type Check,
  checkOptions,
  invalid,
  nonEmptyString,
  oneOf,
  wholeNumber,
} from "../../base/options/check-options.ts";
import { STATE_WORDS } from "../../inbox/entry-state.ts";

/** A list, each item of which passes a check. */
function listOf(item: Check, fix: string): Check {
  return (given, name) => {
    if (!Array.isArray(given)) throw invalid(`${name} to be an array`, given, fix);
    for (const [index, value] of given.entries()) item(value, `${name}[${index}]`);
  };
}

const texts = (fix: string) => listOf(nonEmptyString(fix), fix);
/** The number of an entry. */
export const checkSeq = aNumber(
  "the number of an entry",
  (value) => Number.isSafeInteger(value) && value >= 0,
);
const time = wholeNumber("milliseconds since 1970", 0);

const COUNTING: Readonly<Record<string, Check>> = {
  kinds: texts('pass kinds or patterns such as ["payment.*"]'),
  sources: texts('pass names such as ["service"]'),
  since: time,
  until: time,
};

const SELECTION: Readonly<Record<string, Check>> = {
  states: listOf(oneOf(...STATE_WORDS), 'pass states such as ["dead"]'),
  ...COUNTING,
  seqs: listOf(checkSeq, "pass numbers such as [1, 2]"),
  eventId: nonEmptyString("pass an event id, or the beginning of one"),
  targets: texts("pass names of targets"),
  after: checkSeq,
  before: checkSeq,
};

/** A misspelt field is refused, since the others would match more. */
export function checkSelection(given: unknown): void {
  checkOptions(given, "the selection of entries", SELECTION);
}

export function checkListing(given: unknown): void {
  checkOptions(given, "what to list", { ...SELECTION, limit: wholeNumber("entries", 1) });
}

export function checkCounting(given: unknown): void {
  checkOptions(given, "the selection to count", COUNTING);
}

/** @param youngest - milliseconds for which an event may be sent again */
export function checkPruning(given: unknown, youngest: number): void {
  const olderThan = wholeNumber("milliseconds", youngest);
  checkOptions(given, "the options of prune", {
    olderThan,
    states: listOf(oneOf("handled", "received", "dead"), 'pass states such as ["handled"]'),
    sources: texts('pass names such as ["service"]'),
  });
  olderThan(Object(given).olderThan, "olderThan");
}
