import { trimEndOf } from "../../base/text/trim-end.ts";
import { isPlaceholder } from "../../signature/secret-bytes.ts";
import { readSecrets } from "../../signature/secrets.ts";
import { SECRET_VARIABLE } from "../project/secret-variables.ts";
import { DEFAULT_ENCODING } from "../secrets/encoding.ts";
import type { FoundSecrets } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { type DoctorCheck, type Finding, fail, ok, splitFix, warn } from "./finding.ts";

/**
 * The secrets that deliveries are verified with: where they are, and whether they can be guessed.
 */
export const secret: DoctorCheck = {
  name: "secret",
  run: async ({ secrets, options, context: { io } }) => {
    const found = await secrets();
    if (found === undefined) return [ok("none yet: listen creates one for development")];
    const { texts, from } = found;
    const warnings: string[] = [];
    const read = readSecrets(found.values, (text) => warnings.push(text));
    const prints = read.map(({ fingerprint }) => fingerprint).join(", ");
    const where =
      from === SECRET_VARIABLE || from.includes(",") ? `${from} ${placeOf(from, io.env)}` : from;
    const problems = [...guessable(found), ...surrounded(found), ...encoded(found, options)];
    for (const text of warnings.filter((text) => !/placeholder|newline/.test(text))) {
      const { message, fix = "" } = splitFix(text);
      problems.push(warn(message, fix));
    }
    if (problems.length > 0) return problems;
    const many = texts.length === 1 ? "" : `${texts.length} secrets, `;
    return [ok(`${many}from ${where}, fingerprint ${prints}`)];
  },
};

function placeOf(names: string, env: Readonly<Record<string, string | undefined>>): string {
  const [first = ""] = names.split(", ");
  return env[first] === undefined ? "in the env file" : "in the environment";
}

function guessable({ texts, from }: FoundSecrets): readonly Finding[] {
  if (!texts.some((text) => text !== undefined && isPlaceholder(text))) return [];
  const fix = "set it to the subscription's secret, or to the output of `openssl rand -hex 32`";
  return [fail(`the secret of ${from} is a placeholder, which anyone can guess`, fix)];
}

/** A secret as other services show it, taken as text. */
function encoded(
  { texts, from }: FoundSecrets,
  { secretEncoding = DEFAULT_ENCODING }: SecretOptions,
) {
  if (secretEncoding !== "utf8" || !texts.some((text) => text?.startsWith("whsec_"))) return [];
  const fix =
    "if the sender signs with the bytes that it encodes, set HOOKPORTER_SECRET_ENCODING to whsec";
  return [
    warn(`the secret of ${from} begins with whsec_, and is used as text with that prefix`, fix),
  ];
}

/**
 * What programs that set variables leave around a value, such as Docker's `--env-file`, which keeps
 * quotes.
 */
function surrounded({ texts, from }: FoundSecrets): readonly Finding[] {
  const lines = texts.flatMap((text) => (text === undefined ? [] : trimEndOf(text, "\r\n")));
  const fix = `write ${from} without them, or make them part of the subscription's secret`;
  if (lines.some((line) => /^(["']).+\1$/s.test(line)))
    return [warn(`the secret of ${from} has quotes around it, which are used as part of it`, fix)];
  if (lines.some((line) => line !== line.trim()))
    return [
      warn(`the secret of ${from} has white space around it, which is used as part of it`, fix),
    ];
  return [];
}
