import { trimEndOf } from "../../base/text/trim-end.ts";
import { INVISIBLE } from "../../signature/diagnose/typeset.ts";
import { isPlaceholder } from "../../signature/secret-bytes.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { Io } from "../io.ts";
import { textOfEnvFile } from "../project/env-text.ts";
import { SECRET_VARIABLE } from "../project/secret-variables.ts";
import { DEFAULT_ENCODING } from "../secrets/encoding.ts";
import { envFileBytes, type FoundSecrets, secretNames } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { valuesIn } from "../secrets/written-secrets.ts";
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
    const problems = [...guessable(found), ...damaged(found), ...encoded(found, options)];
    for (const text of warnings.filter((text) => !/placeholder|newline/.test(text))) {
      const { message, fix = "" } = splitFix(text);
      problems.push(warn(message, fix));
    }
    if (from !== "standard input") problems.push(...misread(found, options, io));
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

/** What a secret plainly has that none should have; what programs and people leave around it. */
const DAMAGES: readonly (readonly [RegExp, string])[] = [
  [
    /^\$\{?\w+\}?$|^\{\{.*\}\}$|^%\w+%$/s,
    "is a reference that nothing replaced, which is used as it is",
  ],
  [/^(["'`]).+\1$|^[“”„‘’«].+[“”‘’»]$/s, "has quotes around it, which are used as part of it"],
  [/^["'`“”„‘’]|["'`“”‘’]$/, "has a quote at one end, which is used as part of it"],
  [/^\s|\s$/, "has white space around it, which is used as part of it"],
  [INVISIBLE, "has invisible characters in it, which are used as part of it"],
  [/\\[nr]$/, "ends in `\\n` or `\\r` as text, which is used as part of it"],
  [/[\r\n]/, "has a line break in it, which is used as part of it"],
  [
    /^(?:export |[A-Z][A-Z0-9]*_[A-Z0-9_]*[=:](?=[^=])|sha\d{1,3}=|bearer )/i,
    "begins with a name or a prefix, which is used as part of it",
  ],
  [/\s#(?:\s|$)/, "has a comment after it, which is used as part of it"],
  [/[;,]$/, "ends in punctuation, which is used as part of it"],
];

/** What is around or in a secret, such as the quotes that Docker's `--env-file` keeps. */
function damaged({ texts, from }: FoundSecrets): readonly Finding[] {
  const lines = texts.flatMap((text) => (text === undefined ? [] : trimEndOf(text, "\r\n")));
  const fix = `write ${from} without them, or make them part of the subscription's secret`;
  const found = DAMAGES.find(([damage]) => lines.some((line) => line.search(damage) !== -1));
  return found === undefined ? [] : [warn(`the secret of ${from} ${found[1]}`, fix)];
}

/** A secret of the env file that is written otherwise there than it is read. */
function misread(
  { texts }: FoundSecrets,
  options: SecretOptions,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): readonly Finding[] {
  const file = textOfEnvFile(envFileBytes(cwd, options.envFile));
  const names = options.secretEnv ?? secretNames(options, { cwd, env });
  return names.flatMap((name, index): readonly Finding[] => {
    const values = valuesIn(file, name);
    const last = values.at(-1) ?? "";
    const used = texts[index] ?? "";
    if (env[name] !== undefined || used === "") return [];
    const quoted = `write it in single quotes: ${name}='…'`;
    if (last.startsWith(`${used}#`))
      return [warn(`the secret of ${name} ends before the # in its line of the env file`, quoted)];
    if (new Set(values).size < 2) return [];
    const message = `${name} is set ${values.length} times in the env file, and the last one counts`;
    return [warn(message, "remove the others")];
  });
}
