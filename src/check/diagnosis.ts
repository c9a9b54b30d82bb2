import { CATALOGUE, CONTROL } from "./catalogue.ts";
import type { CheckResult } from "./check-result.ts";

const BY_ID = new Map(CATALOGUE.map((one) => [one.id as string, one]));

/** Common causes behind several results, the weightiest first; none where each failure stands for itself. */
export function diagnose(results: readonly CheckResult[]): readonly string[] {
  const control = results.find(({ id }) => id === CONTROL);
  if (control?.outcome === "failed") return [refusesAll(control)];
  const forged = results.filter(({ id }) => /^(?:SIG-0[12]|SIG-1[78])$/.test(id));
  if (most(forged, ({ outcome, answer }) => outcome === "failed" && /^2/.test(answer ?? ""))) {
    return [
      "The signature is not verified at all: deliveries without one, or with a wrong one, are confirmed.",
    ];
  }
  return CAUSES.flatMap(({ about, says }) => {
    const concerned = results.filter((one) => about(one) && one.outcome !== "not_applicable");
    const failed = concerned.filter(({ outcome }) => outcome === "failed");
    return failed.length >= 3 && failed.length * 2 >= concerned.length
      ? [`${says} (${idsText(failed)})`]
      : [];
  });
}

const CAUSES: readonly { about: (one: CheckResult) => boolean; says: string }[] = [
  {
    about: ({ id, right }) => isAbout(id, "bytes") && right.startsWith("200"),
    says:
      "What is verified is not the raw body, but JSON or text made from it: valid deliveries are refused as soon as " +
      "they are spelled otherwise. Take the body as bytes before any parser, verify those, then parse.",
  },
  {
    about: ({ id, right }) => isAbout(id, "bytes") && right.startsWith("4xx"),
    says: "Changed bytes are confirmed: the signature is compared with something other than the raw body.",
  },
  {
    about: ({ id }) => isAbout(id, "form"),
    says: "The form of the signature is not checked: compare the whole header value with `sha256=` + digest.",
  },
  {
    about: ({ id }) => isAbout(id, "content-type"),
    says: "Everything hangs on Content-Type, which the description does not show: read the body whatever it says.",
  },
  {
    about: ({ id, right, answer }) =>
      right.startsWith("4xx") && /^(?:BODY|TIME|KIND|SIG)/.test(id) && /^5|^closed/.test(answer ?? "5"),
    says: "Odd input makes the code fail: catch errors around verifying and parsing, and answer 4xx.",
  },
];

function refusesAll({ answer }: CheckResult): string {
  const came = `${CONTROL}, which is valid in every way, was answered ${answer}`;
  if (answer === "401" || answer === "403")
    return `${came}: most likely the secrets differ, or the signature header's name. Nothing below proves much.`;
  if (answer === "404" || answer === "405") return `${came}: is the path right? Nothing below proves much.`;
  if (/^2/.test(answer ?? "")) return `${came}: only 200 confirms a delivery.`;
  return `${came}: mend that first. Nothing below proves much.`;
}

function isAbout(id: string, about: string): boolean {
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
