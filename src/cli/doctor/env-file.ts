import { statSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { didYouMean } from "../../base/options/did-you-mean.ts";
import { shownMode } from "../../base/system/files.ts";
import { askGit } from "../../base/system/git.ts";
import { counted } from "../../base/text/counted.ts";
import { tryOr } from "../../base/try-or.ts";
import { readSecrets } from "../../signature/secrets.ts";
import {
  PREVIOUS_SECRET_VARIABLE,
  SECRET_VARIABLE,
  secretMistakes,
} from "../project/secret-variables.ts";
import { readEnvFile, secretNames } from "../secrets/secret.ts";
import { shownVariable } from "../shown-value.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import type { Setup } from "./setup.ts";

/** Variables that hold something that others must not read. */
const HOLDS_A_KEY = /SECRET|TOKEN|KEY|PASSW|PGPASS|_URL$/i;

export const envFile: DoctorCheck = {
  name: "env file",
  run: (setup) => {
    const { options, context } = setup;
    const path = resolve(context.io.cwd, options.envFile ?? ".env");
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return misspelt(setup);
    const shown = relative(context.io.cwd, path) || path;
    const variables = readVariables(setup);
    if (variables === undefined) return [];
    const problems = [...differing(setup, variables, shown), ...misspelt(setup)];
    const hasKeys = Object.keys(variables).some((name) => HOLDS_A_KEY.test(name));
    const mode = shownMode(found, 0o077);
    if (hasKeys && mode !== undefined) {
      const problem = `${shown} holds keys, and other users may read it (mode ${mode})`;
      problems.push(warn(problem, `chmod 600 ${shown}`));
    }
    if (hasKeys && isInGit(path, context.io)) {
      const fix = `run git rm --cached ${shown}, add it to .gitignore, and replace the keys: the history keeps them`;
      problems.push(fail(`${shown} holds keys, and is in git`, fix));
    }
    return problems.length > 0
      ? problems
      : [ok(`${shown}, ${counted(Object.keys(variables).length, "variable", "variables")}`)];
  },
};

function isInGit(path: string, { env }: Setup["context"]["io"]): boolean {
  return askGit(dirname(path), ["ls-files", "--error-unmatch", "--", basename(path)], env) === 0;
}

/** Names of variables that nothing reads, and that are close to one that is read. */
function misspelt(setup: Setup): readonly Finding[] {
  const { variables: flags, options, context } = setup;
  if (flags === undefined) return [];
  const { secretEnv = [], apiKeyEnv, accessTokenEnv, envFile = ".env" } = options;
  const known = [
    ...flags,
    ...KEYS,
    ...secretEnv,
    ...[apiKeyEnv ?? [], accessTokenEnv ?? []].flat(),
  ];
  const inFile = Object.keys(readVariables(setup) ?? {});
  const names = new Set([...inFile, ...Object.keys(context.io.env)]);
  const mistakes = secretMistakes({ ...readVariables(setup), ...context.io.env });
  const ofSecrets = mistakes.map(({ message, fix }) => warn(message, fix));
  const others = [...names].flatMap((name) => {
    if (!name.startsWith("HOOKPORTER_") || known.includes(name)) return [];
    if (mistakes.some((mistake) => mistake.name === name)) return [];
    const meant = didYouMean(name, known);
    const where = inFile.includes(name) ? envFile : "the environment";
    return meant === undefined
      ? []
      : warn(
          `nothing reads the variable ${shownVariable(name)} of ${where}`,
          `did you mean ${meant}?`,
        );
  });
  return [...ofSecrets, ...others];
}

const KEYS = [SECRET_VARIABLE, PREVIOUS_SECRET_VARIABLE, "HOOKPORTER_API_KEY"];

/**
 * `undefined` if the file cannot be read, which the check of the secret says, unless it is given in
 * another way.
 */
function readVariables({ options, context: { io } }: Setup) {
  try {
    return readEnvFile(io.cwd, options.envFile);
  } catch (thrown) {
    if (options.secretStdin === true) throw thrown;
    return undefined;
  }
}

/** Someone who edits the file would wonder why nothing changes. */
function differing(
  { options, context: { io } }: Setup,
  variables: Readonly<Record<string, string | undefined>>,
  file: string,
): Finding[] {
  const names = options.secretStdin === true ? [] : (options.secretEnv ?? secretNames(options, io));
  return names.flatMap((name) => {
    const used = io.env[name];
    const other = variables[name];
    if (used === undefined || other === undefined || used === other) return [];
    return warn(
      `${shownVariable(name)} in the environment (${fingerprint(used)}) is used, not the one in ${file} (${fingerprint(other)})`,
      `unset ${shownVariable(name)}, or remove it from ${file}`,
    );
  });
}

function fingerprint(text: string): string {
  return tryOr(() => readSecrets(text)[0]?.fingerprint ?? "none", "empty");
}
