import { CATALOGUE, CONTROL } from "./catalogue.ts";
import type { Subject } from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import { diagnoseDigests } from "./digest-diagnosis.ts";

/** An answer of 2xx, alone or among others such as `401, 5 × 200`. */
const CONFIRMED = /(?:^|, |× )2\d\d/;

const BY_ID = new Map(CATALOGUE.map((one) => [one.id as string, one]));

/** Causes that were found by sending more than the cases. */
export interface FoundCauses {
  /** Why the control is refused. */
  readonly control?: string;
  /** Why valid deliveries are refused in some spellings. */
  readonly spelling?: string;
}

/** Common causes of several results, most serious first; none if each failure has its own cause. */
export function diagnose(results: readonly CheckResult[], found: FoundCauses = {}): readonly string[] {
  const control = results.find(({ id }) => id === CONTROL);
  if (control?.outcome === "failed" && control.answer !== "200") return [refusesAll(control, found)];
  const forged = results.filter(({ id }) => /^(?:SIG-0[12]|SIG-1[78])$/.test(id));
  if (most(forged, ({ outcome, answer }) => outcome === "failed" && /^2/.test(answer ?? ""))) {
    return [
      "The signature is not verified at all: deliveries with a missing or wrong signature are confirmed.",
    ];
  }
  const open = whyOpen(results);
  const causes = CAUSES.flatMap(({ about, answered, from = SEVERAL, says }) => {
    if (open !== undefined && from === DETOUR.from) return [];
    const failed = results.filter(
      (one) =>
        one.outcome === "failed" &&
        (from === SEVERAL || one.severity === "required") && // else it is only slow
        (typeof about === "string" ? isAbout(one, about) : about(one)) &&
        answered.test(one.answer ?? ""),
    );
    if (failed.length < from) return [];
    const spelling = found.spelling ?? (refusesOnlyText(results) ? DECODED : says);
    return [`${about === isSpelling ? spelling : says} (${idsText(failed)})`];
  });
  return [
    ...(open === undefined ? [] : [open]),
    ...diagnoseDigests(results),
    ...diagnoseRuns(results),
    ...causes,
  ];
}

/** Why forged deliveries are confirmed in every form, if they are in the plainest. */
function whyOpen(results: readonly CheckResult[]): string | undefined {
  const accepts = (id: string) =>
    results.some((one) => one.id === id && one.outcome === "failed" && /^2/.test(one.answer ?? ""));
  if (accepts("SIG-17") && accepts("SIG-18"))
    return "Any signature of the right form is confirmed: it is not compared with the right one. Compare all 32 bytes.";
  if (!accepts("SIG-01")) return undefined;
  if (accepts("SIG-16"))
    return "Signatures that cannot be compared are confirmed: an error while verifying counts as success. Refuse the delivery then.";
  if (accepts("SIG-10"))
    return "Only as many digits as were sent are compared, even none: compare the lengths first.";
  return "Unsigned deliveries are confirmed: the signature is verified only if there is one. Refuse deliveries without the header.";
}

/** Whether only text that is not ASCII is refused, and JSON in unusual spellings is not. */
function refusesOnlyText(results: readonly CheckResult[]): boolean {
  const failed = new Set(results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id));
  return failed.has("BODY-09") && !["BODY-10", "BODY-11", "BODY-13", "BODY-16"].some((id) => failed.has(id));
}

const DECODED =
  "The receiver does not verify the raw body, but text decoded from it as something other than UTF-8, such as Latin-1: " +
  "valid deliveries with characters beyond ASCII are refused. Read the body as bytes before any parser, verify those, then parse.";

/** Why nothing was seen to run, or what was forged. */
function diagnoseRuns(results: readonly CheckResult[]): readonly string[] {
  const ranRefused = results.filter(
    ({ runs, right, answer }) => (runs ?? 0) > 0 && /never runs/.test(right) && !CONFIRMED.test(answer ?? ""),
  );
  if (ranRefused.length >= SEVERAL) {
    return [
      `Forged events run although they are refused: verify the signature before you do anything else. (${idsText(ranRefused)})`,
    ];
  }
  const toRun = results.filter(({ runs, right }) => runs !== null && /, runs /.test(right));
  if (!most(toRun, ({ runs }) => runs === 0)) return [];
  const ids = idsText(toRun);
  return [
    `No confirmed event was seen to run: the receiver does not process what it confirms, or --observe does not count it. (${ids})`,
  ];
}

/** Whether a case sends a valid delivery in an unusual spelling. */
function isSpelling(one: CheckResult): boolean {
  return isAbout(one, "bytes") && one.right.startsWith("200");
}

/** Whether the receiver refuses valid deliveries in several spellings. */
export function refusesSpellings(results: readonly CheckResult[]): boolean {
  const refused = results.filter((one) => isSpelling(one) && /^4/.test(one.answer ?? ""));
  return refused.filter(({ outcome }) => outcome === "failed").length >= SEVERAL;
}

interface Cause {
  /** The cases that would show this cause. */
  readonly about: Subject | ((one: CheckResult) => boolean);
  /** Their answers if it applies. */
  readonly answered: RegExp;
  /** How many failures are worth a common cause. Default: {@link SEVERAL}. */
  readonly from?: number;
  readonly says: string;
}

/** A forgery gets in by a detour, which it does not need if unsigned deliveries get in anyway. */
const DETOUR = { answered: CONFIRMED, from: 1 } as const;

const CAUSES: readonly Cause[] = [
  {
    ...{ ...DETOUR, about: "unchecked-kind" },
    says:
      "The signature is checked only for some kinds: a forged delivery of another kind is confirmed. Verify every " +
      "delivery before you look at `event`.",
  },
  {
    ...{ ...DETOUR, about: "unchecked-route" },
    says:
      "The signature is checked only for some methods or spellings of the path: a forged delivery by another is " +
      "confirmed. Verify in the handler itself, not where method and path are compared.",
  },
  {
    ...{ ...DETOUR, about: "unchecked-framing" },
    says:
      "The signature is checked only for bodies with a length, or without an encoding: a forged delivery in another form " +
      "is confirmed. Read the raw bytes of every request, and verify them first.",
  },
  {
    ...{ ...DETOUR, about: "unchecked-type" },
    says:
      "The signature is checked only for some content types: a forged delivery of another type is confirmed. In " +
      "Express, `express.json({ verify })` runs for application/json alone. Verify the raw bytes of every request " +
      "before any parser.",
  },
  {
    about: isSpelling,
    answered: /^[45]/,
    says:
      "The receiver does not verify the raw body, but JSON or text made from it: valid deliveries are refused if " +
      "they are serialised differently. Read the body as bytes before any parser, verify those, then parse.",
  },
  {
    about: (one) => isAbout(one, "bytes") && !isSpelling(one),
    answered: /^2/,
    says: "Changed bytes are confirmed: the signature is compared with something other than the raw body.",
  },
  {
    about: "form",
    answered: /^2/,
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

/** Fewer failures than this are not worth a common cause, unless one of them lets a forgery in. */
const SEVERAL = 3;

function refusesAll({ answer }: CheckResult, { control }: FoundCauses): string {
  const came = `${CONTROL}, a completely valid delivery, was answered with ${answer}`;
  if (control !== undefined) return `${came}. ${control}`;
  if (answer === "401" || answer === "403")
    return `${came}: most likely the secrets differ, or the signature header's name.`;
  if (answer === "404" || answer === "405") return `${came}: check the path.`;
  if (answer?.startsWith("5"))
    return `${came}: the app's own log says why. If it verifies with hookporter or in Express, a body parser may run before that.`;
  if (/^2/.test(answer ?? "")) return `${came}: only 200 confirms a delivery.`;
  return `${came}: fix that first.`;
}

function isAbout({ id }: CheckResult, about: Subject): boolean {
  return BY_ID.get(id)?.about === about;
}

function most(results: readonly CheckResult[], is: (one: CheckResult) => boolean): boolean {
  return results.length > 0 && results.every(is);
}

function idsText(results: readonly CheckResult[]): string {
  const shown = results.slice(0, 4).map(({ id }) => id);
  return (
    shown.join(", ") + (results.length > shown.length ? ` and ${results.length - shown.length} more` : "")
  );
}
