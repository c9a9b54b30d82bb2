import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../../src/entries/testing.ts";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { long, runs } from "../../long.ts";
import { BODY_MISTAKES } from "./body-mistakes.ts";
import { COMBINED_MISTAKES } from "./combined-mistakes.ts";
import { EVERYDAY_MISTAKES } from "./everyday-mistakes.ts";
import { JSON_MISTAKES } from "./json-mistakes.ts";
import { KEY_AND_HEADER_MISTAKES } from "./key-and-header-mistakes.ts";
import { diagnosed, KNOWN } from "./made.ts";
import type { Mistake } from "./mistake.ts";
import { differences, isJson, REPRINTED } from "./reprinted.ts";

const JSON_BODY =
  '{"event":"payment.received","data":{"zone":"é/€","to":"12 Rue <A>","amount":1450.50,"list":[1,{"a":null}]},"webhook":{"id":"wh_1"}}';

type Outcome = "named alone" | "named with another" | "unexplained" | "wrong";

/** How a diagnosis fares against the codes that it should name. */
function judge({ explanations }: Diagnosis, wanted: readonly string[]): Outcome {
  const [first, ...others] = explanations;
  if (first === undefined) return "unexplained";
  const codes = [...new Set(first.map(({ code }) => code))].sort();
  if (codes.join() !== [...wanted].sort().join()) return "wrong";
  return others.length === 0 ? "named alone" : "named with another";
}

function diagnosedMistake(mistake: Mistake, json = JSON_BODY): Diagnosis {
  const { body, header, secret = KNOWN, more } = mistake(json, KNOWN);
  return diagnoseSignature(Buffer.from(body as string), header, readSecrets(secret), more);
}

/** What was signed is gone if the order of keys, a null or the quotes of Java are lost here. */
function isLost(here: string, there: string): boolean {
  return /^\{\w+=/.test(here) || /json_key_order|json_nulls/.test(differences(here, there).join());
}

const single = [
  ...JSON_MISTAKES,
  ...BODY_MISTAKES,
  ...KEY_AND_HEADER_MISTAKES,
  ...EVERYDAY_MISTAKES,
].map(([code, title, mistake]) => [[code], title, mistake] as const);
/** As JavaScript prints it, since these mistakes print it again. */
const PRINTED = JSON.stringify(JSON.parse(JSON_BODY));

interface Row {
  readonly title: string;
  readonly outcome: Outcome;
  readonly lost?: boolean;
}

/**
 * Worked out in the first test that asks: when a file is loaded, no mutant of the mutation tests is
 * active.
 */
function once(work: () => readonly Row[]): () => readonly Row[] {
  let rows: readonly Row[] | undefined;
  return () => {
    rows ??= work();
    return rows;
  };
}

/** A fifth of them for mutation tests. */
const some = <One>(all: readonly One[]) => all.filter((_, index) => index % runs(1, 5) === 0);

const made = once(() => [
  ...some(single).map(([codes, title, mistake]) => ({
    title,
    outcome: judge(diagnosedMistake(mistake), codes),
  })),
  ...COMBINED_MISTAKES.map(([codes, title, mistake]) => {
    return { title, outcome: judge(diagnosedMistake(mistake, PRINTED), codes) };
  }),
]);
const signedAs = once(() =>
  some(REPRINTED).map(({ original, text, printers, sample }) => {
    return {
      title: `${sample}: ${printers[0]}`,
      outcome: judge(diagnosed(original, text), codesBetween(original, text)),
    };
  }),
);
/** The sender signed JSON as JavaScript prints it, and something on the way printed it again. */
const sent = once(() =>
  some(REPRINTED).flatMap(({ original, text, printers, sample }) => {
    const first = JSON.stringify(JSON.parse(original));
    if (first === text) return [];
    const outcome = judge(diagnosed(text, first), codesBetween(text, first));
    return [{ title: `${sample}, sent: ${printers[0]}`, outcome, lost: isLost(text, first) }];
  }),
);
/** What another program shows in place of JSON may have its numbers printed differently, too. */
function codesBetween(here: string, there: string): readonly string[] {
  const codes = differences(here, there);
  const numbers = [here, there].map((text) =>
    text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "").match(/-?\d[\d.eE+-]*/g),
  );
  const differ = numbers[0]?.join() !== numbers[1]?.join();
  return differ && codes[0] === "body_not_json" && /^\{['"]/.test(here) && !isJson(here)
    ? [...codes, "json_numbers"]
    : codes;
}

describe("documented mistakes", () => {
  it.each([
    ["made by hand", made],
    ["printed again and signed", signedAs],
    ["printed again on the way", sent],
  ])(
    "are named alone, or are unexplained if the order of keys or a value is lost: %s",
    { timeout: 120_000 },
    (_, rows) => {
      const isRight = ({ outcome, lost = false }: Row) =>
        outcome === "named alone" || (lost && outcome === "unexplained");
      expect(rows().filter((row) => !isRight(row))).toEqual([]);
    },
  );

  it("are many", () => {
    const possible = [...made(), ...signedAs(), ...sent().filter(({ lost }) => !lost)];
    expect(possible.length).toBeGreaterThanOrEqual(runs(400, 80));
    expect(sent().filter(({ lost }) => lost).length).toBeGreaterThan(runs(20, 4));
  });

  it("are not seen in what another secret signed, whatever the body", { timeout: 120_000 }, () => {
    const bodies = new Set(REPRINTED.flatMap(({ original, text }) => [original, text]));
    // All of them take a minute on a busy machine.
    const every = runs(long(6, 1), 60);
    for (const body of [...bodies].filter((_, index) => index % every === 0)) {
      const header = `sha256=${createHmac("sha256", randomBytes(32)).update(body).digest("hex")}`;
      const { code, explanations } = diagnoseSignature(
        Buffer.from(body),
        header,
        readSecrets(KNOWN),
      );
      expect({ code, explanations }).toEqual({ code: "unexplained", explanations: [] });
    }
  });
});
