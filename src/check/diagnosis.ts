import { FOLLOWS } from "./attempts/find-cause.ts";
import { CONTROL } from "./catalogue.ts";
import type { CheckResult } from "./check-result.ts";
import { diagnoseForged, INVERTED, isForgedIn, UNSIGNED, whyOpen } from "./forged-diagnosis.ts";
import { LOST } from "./judge.ts";
import {
  CONFIRMED,
  causeText,
  explainedTogether,
  isAbout,
  refusesSignature,
} from "./similar-failures.ts";

/** What was found by sending more than the cases. */
export interface FoundCauses {
  /** Why the control is refused. */
  readonly control?: string;
  /** How the answer to the control begins, if that was refused. */
  readonly text?: string;
  /** Why valid deliveries are refused in some spellings. */
  readonly spelling?: string;
}

/** Common causes of several results, most serious first; none if each failure has its own cause. */
export function diagnose(
  results: readonly CheckResult[],
  found: FoundCauses = {},
): readonly string[] {
  const control = results.find(({ id }) => id === CONTROL);
  const forged = diagnoseForged(results);
  if (control?.outcome === "failed" && control.answer !== "200")
    return forged[0] === INVERTED ? forged : [...forged, refusesAll(control, found)];
  const open = whyOpen(results);
  // What a receiver that compares nothing confirms says nothing of how it compares.
  const hides = open !== undefined && open !== UNSIGNED;
  const respelt = results.filter(isRespelt);
  const similar = results.filter((result) => {
    if (isSpelling(result) || isForgedIn(result) || (hides && /^2/.test(result.answer ?? "")))
      return false;
    return COMMON.some((about) => isAbout(result, about));
  });
  const groups = explainedTogether(similar).filter((group) => group.alike.length >= SEVERAL);
  const crashed = results.filter(crashes);
  return [
    ...forged,
    ...diagnoseFailures(results),
    ...diagnoseDigests(results),
    ...diagnoseRuns(results),
    ...(respelt.length < SEVERAL ? [] : [causeText(found.spelling ?? otherText(results), respelt)]),
    ...groups.map(({ fix, alike: similar }) => causeText(fix, similar)),
    ...(crashed.length < SEVERAL ? [] : [causeText(CRASHES, crashed)]),
  ];
}

/** What several cases look at in different ways, so that their failures have a cause in common. */
const COMMON = ["bytes", "form", "content-type"] as const;

/** Whether unusual input made the code fail. */
function crashes({ id, outcome, right, answer }: CheckResult): boolean {
  if (outcome !== "failed" || right.startsWith("200") || !/^(?:BODY|TIME|SIG)/.test(id))
    return false;
  return /^(?:5\d\d|closed)/.test(answer ?? "");
}

const CRASHES =
  "Unusual input makes the code fail: catch errors around verifying and parsing, and answer 4xx";

/**
 * What a receiver verifies that refuses valid deliveries in several spellings, as far as these
 * show.
 */
function otherText(results: readonly CheckResult[]): string {
  const failed = new Set(results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id));
  const isText =
    failed.has("BODY-09") &&
    !["BODY-10", "BODY-11", "BODY-13", "BODY-16"].some((id) => failed.has(id));
  const what = isText
    ? "text decoded as something other than UTF-8, such as Latin-1"
    : "JSON or text made from it";
  return `The receiver does not verify the raw body, but ${what}. Read the body as bytes before any parser, verify those, then parse.`;
}

/** Why nothing was seen to run. */
function diagnoseRuns(results: readonly CheckResult[]): readonly string[] {
  const toRun = results.filter(
    ({ runs, right, answer }) =>
      runs !== null && /, runs /.test(right) && CONFIRMED.test(answer ?? ""),
  );
  if (toRun.length === 0 || toRun.some(({ runs }) => runs !== 0)) return [];
  const cause =
    "no confirmed event was seen to run: the receiver does not process what it confirms, or --observe does not count it";
  return [causeText(cause, toRun)];
}

/** Valid deliveries that were answered 5xx and then taken, or taken and never run. */
function diagnoseFailures(results: readonly CheckResult[]): readonly string[] {
  const lost = results.filter(({ fix }) => fix === LOST);
  const now = results.filter(({ fix }) => /sent once more, it was answered 2/.test(fix ?? ""));
  const again =
    "it fails now and then on valid deliveries, and takes the same ones later: see its log";
  return [
    ...(lost.length === 0 ? [] : [causeText(`an event that failed is lost: ${LOST}`, lost)]),
    ...(now.length === 0 ? [] : [causeText(again, now)]),
  ];
}

/** Whether a case sends a valid delivery in an unusual spelling. */
function isSpelling(result: CheckResult): boolean {
  return isAbout(result, "bytes") && result.right.startsWith("200");
}

/** Whether a valid delivery was refused that is spelt in an unusual way. */
function isRespelt(result: CheckResult): boolean {
  return isSpelling(result) && result.outcome === "failed" && refusesSignature(result);
}

/** Whether the receiver refuses valid deliveries in several spellings. */
export function refusesSpellings(results: readonly CheckResult[]): boolean {
  return results.filter(isRespelt).length >= SEVERAL;
}

/** Fewer failures than this are not worth a common cause, since each has its own text. */
const SEVERAL = 3;

function refusesAll({ answer }: CheckResult, { control, text }: FoundCauses): string {
  const said = text === undefined ? "" : ` Its answer begins: ${JSON.stringify(text)}.`;
  const came = `${CONTROL}, a completely valid delivery, was answered with ${answer}`;
  if (control !== undefined) return `${came}. ${control}${control === FOLLOWS ? said : ""}`;
  if (/^40[013]$/.test(answer ?? ""))
    return `${came}: most likely the secrets differ, or the signature header's name. If it knows only webhooks or tenants of its own, pass --event.${said}`;
  if (answer === "404" || answer === "405")
    return `${came}: check the path. If it knows only webhooks or properties of its own, pass --event.${said}`;
  if (answer === "429") return `${came}: it limits the rate, or bans this address.${said}`;
  if (answer?.startsWith("5"))
    return `${came}: the app's own log says why. If it verifies with hookporter or in Express, a body parser may run before that.${said}`;
  if (answer?.startsWith("endless") === true)
    return `${came}: the answer begins, but does not end, so that the sender gives up and retries. End the response.`;
  if (/^2/.test(answer ?? "")) return `${came}: only 200 confirms a delivery.`;
  if (answer?.startsWith("4"))
    return `${came}: if it looks up the property, the tenant or the webhook, send an event that it knows with --event.${said}`;
  return `${came}: fix that first.`;
}

/** The case that tells a fault from others, and those that the same fault fails besides. */
const TELLING: readonly (readonly string[])[] = [
  ["SIG-31", "SIG-29", "SIG-30", "SIG-32"],
  ["SIG-32", "SIG-30"],
  ["SIG-29", "SIG-30"],
  ["SIG-30"],
  ["SIG-33"],
  ["SIG-34"],
];

/**
 * Why valid deliveries are refused at random: which digests the receiver computes or prints
 * wrongly. One case is proof enough, since all others avoid such digests.
 */
function diagnoseDigests(results: readonly CheckResult[]): readonly string[] {
  const failed = new Map(
    results
      .filter((result) => result.outcome === "failed" && refusesSignature(result))
      .map((result) => [result.id, result]),
  );
  return TELLING.flatMap((ids) => {
    const similar = ids.flatMap((id) => failed.get(id) ?? []);
    const [first] = similar;
    if (first?.fix == null || first.id !== ids[0]) return [];
    for (const { id } of similar) failed.delete(id);
    return [causeText(first.fix, similar)];
  });
}
