import { FOLLOWS } from "./attempts/find-cause.ts";
import { CONTROL } from "./catalogue.ts";
import type { CheckResult } from "./check-result.ts";
import { diagnoseDigests } from "./digest-diagnosis.ts";
import { type Alike, CONFIRMED, failedBy, idsText, isAbout, refusesSignature } from "./failed-alike.ts";
import { diagnoseForged, INVERTED, UNSIGNED, whyOpen } from "./forged-diagnosis.ts";
import { LOST } from "./judge.ts";

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
export function diagnose(results: readonly CheckResult[], found: FoundCauses = {}): readonly string[] {
  const control = results.find(({ id }) => id === CONTROL);
  const forged = diagnoseForged(results);
  if (control?.outcome === "failed" && control.answer !== "200")
    return forged[0] === INVERTED ? forged : [...forged, refusesAll(control, found)];
  const open = whyOpen(results);
  const hides = open !== undefined && open !== UNSIGNED;
  const causes = CAUSES.flatMap(({ about, answered, says, isForm = false }) => {
    if (isForm && hides) return [];
    const failed = failedBy({ about, answered }, results);
    if (failed.length < SEVERAL) return [];
    const spelling = found.spelling ?? (refusesOnlyText(results) ? DECODED : says);
    return [`${about === isSpelling ? spelling : says} (${idsText(failed)})`];
  });
  return [
    ...forged,
    ...diagnoseFailures(results),
    ...diagnoseDigests(results),
    ...diagnoseRuns(results),
    ...causes,
  ];
}

/** Whether only text that is not ASCII is refused, and JSON in unusual spellings is not. */
function refusesOnlyText(results: readonly CheckResult[]): boolean {
  const failed = new Set(results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id));
  return failed.has("BODY-09") && !["BODY-10", "BODY-11", "BODY-13", "BODY-16"].some((id) => failed.has(id));
}

const DECODED =
  "The receiver does not verify the raw body, but text decoded from it as something other than UTF-8, such as Latin-1: " +
  "valid deliveries with characters beyond ASCII are refused. Read the body as bytes before any parser, verify those, then parse.";

/** Why nothing was seen to run. */
function diagnoseRuns(results: readonly CheckResult[]): readonly string[] {
  const toRun = results.filter(
    ({ runs, right, answer }) => runs !== null && /, runs /.test(right) && CONFIRMED.test(answer ?? ""),
  );
  if (!most(toRun, ({ runs }) => runs === 0)) return [];
  const ids = idsText(toRun);
  return [
    `No confirmed event was seen to run: the receiver does not process what it confirms, or --observe does not count it. (${ids})`,
  ];
}

/** Valid deliveries that were answered 5xx and then taken, or taken and never run. */
function diagnoseFailures(results: readonly CheckResult[]): readonly string[] {
  const lost = results.filter(({ fix }) => fix === LOST);
  const now = results.filter(({ fix }) => /sent once more, it was answered 2/.test(fix ?? ""));
  return [
    ...(lost.length === 0 ? [] : [`An event that failed is lost: ${LOST}. (${idsText(lost)})`]),
    ...(now.length === 0
      ? []
      : [
          `It fails now and then on valid deliveries, and takes the same ones later: see its log. (${idsText(now)})`,
        ]),
  ];
}

/** Whether a case sends a valid delivery in an unusual spelling. */
function isSpelling(one: CheckResult): boolean {
  return isAbout(one, "bytes") && one.right.startsWith("200");
}

/** Whether the receiver refuses valid deliveries in several spellings. */
export function refusesSpellings(results: readonly CheckResult[]): boolean {
  const refused = results.filter((one) => isSpelling(one) && refusesSignature(one));
  return refused.filter(({ outcome }) => outcome === "failed").length >= SEVERAL;
}

interface Cause extends Alike {
  /** Whether it says nothing of a receiver that does not compare signatures anyway. */
  readonly isForm?: boolean;
  readonly says: string;
}

const CAUSES: readonly Cause[] = [
  {
    about: isSpelling,
    answered: refusesSignature,
    says:
      "The receiver does not verify the raw body, but JSON or text made from it: valid deliveries are refused if " +
      "they are serialised differently. Read the body as bytes before any parser, verify those, then parse.",
  },
  {
    about: (one) => isAbout(one, "bytes") && !isSpelling(one),
    answered: /^2/,
    isForm: true,
    says: "Changed bytes are confirmed: the signature is compared with something other than the raw body.",
  },
  {
    about: "form",
    answered: /^2/,
    isForm: true,
    says: "The format of the signature is not checked: compare the whole header value with `sha256=` + digest.",
  },
  {
    about: "content-type",
    answered: /^[45]/,
    says: "The receiver depends on Content-Type, which the description does not show: read the body whatever it says.",
  },
  {
    about: ({ id, right }) => !right.startsWith("200") && /^(?:BODY|TIME|SIG)/.test(id),
    answered: /^(?:5\d\d|closed)/,
    says: "Unusual input makes the code fail: catch errors around verifying and parsing, and answer 4xx.",
  },
];

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
  if (/^2/.test(answer ?? "")) return `${came}: only 200 confirms a delivery.`;
  if (answer?.startsWith("4"))
    return `${came}: if it looks up the property, the tenant or the webhook, send an event that it knows with --event.${said}`;
  return `${came}: fix that first.`;
}

function most(results: readonly CheckResult[], is: (one: CheckResult) => boolean): boolean {
  return results.length > 0 && results.every(is);
}
